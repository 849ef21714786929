import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callCli } from '../testing/call-cli.ts';
import {
  type ApiRig,
  hashSecret,
  makeTokenStore,
  openFolderDatabase,
  startApiRig,
} from '../testing/server.ts';

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

  it('limits a token to a scope and a time', async () => {
    const from = Date.now();
    const { code, out } = await run([
      'token',
      'create',
      'scraper',
      '--scope',
      'metrics',
      '--days',
      '30',
      '--json',
    ]);
    expect(code).toBe(0);
    const { secret, expiresAt } = JSON.parse(out[0]!);
    expect(expiresAt).toBeGreaterThanOrEqual(from + 30 * 86_400_000);
    const database = openFolderDatabase(folder);
    expect(makeTokenStore(database).findTokenByHash(hashSecret(secret))).toMatchObject({
      name: 'scraper',
      scope: 'metrics',
      expiresAt,
    });
    database.close();
    const { err } = await run(['token', 'create', 'ci', '--role', 'viewer', '--scope', 'experiments']);
    expect(err[0]).toContain('the role viewer for experiments and does not expire');
  });

  it.each([
    [['--scope', 'all'], /--scope: "all" is not one of everything, experiments/],
    [['--days', 'soon'], /--days: "soon" is not a number of days/],
    [['--days', '0'], /--days: "0" is not a number of days/],
  ])('refuses %j', async (options, message) => {
    const { code, err } = await run(['token', 'create', 'ci', ...options]);
    expect(code).toBe(2);
    expect(err.join(' ')).toMatch(message);
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

describe('token list and revoke', () => {
  let rig: ApiRig;
  beforeAll(async () => {
    rig = await startApiRig();
    const { tokens } = rig;
    for (const name of ['ci', 'ci', 'scraper'])
      tokens.createToken({ name, role: 'viewer', scope: 'metrics' });
  });
  afterAll(() => rig.stop());
  const call = (...argv: string[]) => callCli(['token', ...argv], { env: { MQTTLAB_URL: rig.origin } });
  const names = async () =>
    JSON.parse((await call('list', '--json')).said).map(({ name }: { name: string }) => name);

  it('name, show and revoke tokens', async () => {
    const { said } = await call('list');
    expect(said).toMatch(/Id +Name +Role +Scope +Last use +Expires/);
    expect(said).toMatch(/scraper +viewer +metrics +never +never/);
    expect((await call('revoke', 'scraper')).said).toMatch(/^Token \d+ \(scraper\) is revoked\.$/);
    expect((await names()).sort()).toEqual(['ci', 'ci']);
    const ambiguous = await call('revoke', 'ci');
    expect([ambiguous.code, ambiguous.noted]).toEqual([
      2,
      expect.stringMatching(/give one of the ids \d+, \d+/),
    ]);
    const [first] = JSON.parse((await call('list', '--json')).said);
    expect((await call('revoke', String(first.id))).code).toBe(0);
    expect(await names()).toEqual(['ci']);
    expect((await call('revoke', 'scraper')).noted).toContain('there is no token "scraper"');
  });
});
