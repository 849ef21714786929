import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callCli } from '../testing/call-cli.ts';
import { hashSecret, makeTokenStore, openFolderDatabase } from '../testing/server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-token-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(argv: string[], data = folder) {
  const { code, said, noted } = await callCli(argv, { env: { MQTTLAB_DATA: data } });
  return { code, out: said.split('\n'), err: noted.split('\n') };
}

describe('token create', () => {
  it('makes a token that the server knows, and prints it alone', async () => {
    const { code, out } = await run(['token', 'create', 'ci', '--role', 'operator']);
    expect(code).toBe(0);
    expect(out).toEqual([expect.stringMatching(/^mql_[\w-]{43}$/)]);
    const database = openFolderDatabase(folder);
    expect(makeTokenStore(database).findTokenByHash(hashSecret(out[0]!))).toMatchObject({
      name: 'ci',
      role: 'operator',
    });
    expect(makeTokenStore(database).countAdministratorTokens({ usable: true })).toBe(0);
    database.close();
    const json = await run(['token', 'create', '--json']);
    expect(JSON.parse(json.out[0]!)).toMatchObject({ role: 'administrator', secret: expect.any(String) });
  });

  it('explains wrong usage and a folder that cannot be used', async () => {
    expect((await run(['token'])).code).toBe(2);
    expect((await run(['token', 'create', '--role', 'king'])).code).toBe(2);
    writeFileSync(join(folder, 'file'), '');
    const refused = await run(['token', 'create'], join(folder, 'file'));
    expect([refused.code, refused.err[0]]).toEqual([
      1,
      expect.stringMatching(/cannot be written.*MQTTLAB_DATA/),
    ]);
  });
});
