import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callCli } from '../testing/call-cli.ts';
import { type ApiRig, startApiRig } from '../testing/server.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

const call = (...argv: string[]) => callCli(['user', ...argv], { env: { MQTTLAB_URL: rig.origin } });

describe('user', () => {
  const logIn = async (name: string, password: string) =>
    (await rig.api('/session', { method: 'POST', body: { name, password } })).status;

  /** From "name<TAB>password". */
  const passwordOf = (line: string): string => /^Ada\t(\S+)$/.exec(line)?.[1] ?? '';

  it('makes accounts whose passwords log in, changes, lists and removes them', async () => {
    expect((await call('list')).said).toContain('No accounts yet');
    // No administrator yet, so that this machine needs no login.
    const added = await call('add', 'Ada', '--role', 'operator');
    expect(added).toMatchObject({
      code: 0,
      noted: expect.stringContaining('This is the password for Ada (operator).'),
    });
    const first = passwordOf(added.said);
    expect(await logIn('Ada', first)).toBe(200);
    const second = passwordOf((await call('password', 'Ada')).said);
    expect(second).not.toBe(first);
    expect(await logIn('Ada', first)).toBe(401);
    expect(await logIn('Ada', second)).toBe(200);
    expect((await call('role', 'Ada', 'viewer')).said).toBe('Ada is viewer.');
    expect((await call('list')).said).toMatch(/Ada +viewer +\d browser/);
    expect((await call('logout', 'Ada')).said).toBe('Ada is logged out everywhere.');
    expect((await call('list')).said).toMatch(/Ada +viewer +no /);
    expect((await call('remove', 'Ada')).code).toBe(0);
    expect((await call('list', '--json')).said).toBe('[]');
  });

  it.each([
    [['add'], 'give the name'],
    [['add', 'Bo', '--role', 'owner'], '--role: choose one of'],
    [['role', 'Bo', 'viewer'], 'there is no account "Bo"'],
    [['hire'], 'write "user list"'],
  ])('%j is refused with what to write', async (argv, words) => {
    const { code, noted } = await call(...argv);
    expect([code, noted]).toEqual([2, expect.stringContaining(words)]);
  });
});
