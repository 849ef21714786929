import { afterEach, describe, expect, it } from 'vitest';
import { type ApiRig, type RigOptions, startApiRig } from '../testing/api-rig.ts';
import { postAtOnce } from '../testing/post-at-once.ts';

const rigs: ApiRig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.stop()));
});

const password = 'a long enough one';
const adminToken = 'an-administrator-token-of-some-length';

/** A server with the account Anna behind a proxy on this machine, whose clock only moves when a test moves it. */
async function start(options: RigOptions = {}) {
  const clock = { now: 1_000_000 };
  const rig = await startApiRig({
    loginRequired: true,
    adminToken,
    proxyHeader: 'x-forwarded-for',
    now: () => clock.now,
    ...options,
  });
  rigs.push(rig);
  await rig.accounts.createAccount({ name: 'Anna', role: 'viewer', password });
  const logIn = async (guess: { name?: string; password?: string; headers?: Record<string, string> }) => {
    const { name = 'Anna', password = 'a wrong guess', headers = {} } = guess;
    return (await rig.api('/session', { method: 'POST', body: { name, password }, headers })).status;
  };
  const withToken = async (token: string, headers: Record<string, string> = {}) =>
    (await rig.api('/experiments', { headers: { authorization: `Bearer ${token}`, ...headers } })).status;
  return { rig, clock, logIn, withToken };
}

const from = (address: string) => ({ 'x-forwarded-for': address });
const countOf = (statuses: readonly number[], status: number) =>
  statuses.filter((one) => one === status).length;

describe('1,000 simultaneous guesses', () => {
  it.each<[string, (i: number) => { name?: string; headers?: Record<string, string> }]>([
    ['at one account from one address', () => ({})],
    ['at one account from 1,000 addresses', (i) => ({ headers: from(`10.0.${i >> 8}.${i & 255}`) })],
    ['at 1,000 accounts from one address', (i) => ({ name: `account ${i}` })],
    [
      'at 1,000 accounts from 1,000 addresses of one IPv6 /64',
      (i) => ({ name: `account ${i}`, headers: from(`2001:db8::${i.toString(16)}`) }),
    ],
  ])('%s reach the password hash at most five times', async (_case, guessOf) => {
    const { rig } = await start();
    const guesses = Array.from({ length: 1000 }, (_, i) => {
      const { name = 'Anna', headers = {} } = guessOf(i);
      return { path: '/session', body: { name, password: `guess ${i}` }, headers };
    });
    const statuses = await postAtOnce(rig.port, guesses);
    // Each call of the hash adds one attempt to the server's log and is answered with status 401.
    expect(rig.attempts.length).toBeLessThanOrEqual(5);
    expect(countOf(statuses, 401)).toBe(rig.attempts.length);
    expect(countOf(statuses, 429)).toBe(1000 - rig.attempts.length);
  });

  it('at the password of a share link reach the password hash at most five times', async () => {
    const { rig } = await start();
    const body = { kind: 'experiment', experimentId: rig.createDraft(), password: 'keep secret' };
    const headers = { authorization: `Bearer ${adminToken}` };
    const { token } = (await rig.api('/shares', { method: 'POST', body, headers })).body as { token: string };
    const guesses = Array.from({ length: 1000 }, (_, i) => ({
      path: `/shared/${token}`,
      body: { password: `guess ${i}` },
    }));
    const statuses = await postAtOnce(rig.port, guesses);
    expect(rig.attempts.length).toBeLessThanOrEqual(5);
    expect(countOf(statuses, 422)).toBe(rig.attempts.length);
    expect(countOf(statuses, 429)).toBe(1000 - rig.attempts.length);
  });
});

describe('the log-in limit', () => {
  it('refuses none of many simultaneous log-ins with the right password', async () => {
    const { logIn } = await start();
    const statuses = await Promise.all(Array.from({ length: 20 }, () => logIn({ password })));
    expect(countOf(statuses, 200)).toBe(20);
  });

  it('allows one attempt after each wait, simultaneous ones included', async () => {
    const { rig, clock, logIn } = await start();
    for (let tries = 0; tries < 5; tries++) await logIn({});
    clock.now += 1001;
    await Promise.all(Array.from({ length: 20 }, () => logIn({})));
    expect(rig.attempts.length).toBe(6);
  });

  it('shares one limit between the addresses of an IPv6 /64, however they are written', async () => {
    const { logIn } = await start();
    for (const address of [
      '2001:db8:0:1::1',
      '2001:DB8::1:0:0:0:2',
      '2001:db8:0:1:a:b:c:d',
      '2001:db8:0:1::4',
      '2001:0db8:0:1::5',
    ])
      expect(await logIn({ name: address, headers: from(address) }), address).toBe(401);
    expect(await logIn({ name: 'other', headers: from('2001:db8:0:1:ffff::1') })).toBe(429);
    expect(await logIn({ name: 'other', headers: from('2001:db8:0:2::1') })).toBe(401);
    expect(await logIn({ name: 'other', headers: from('::ffff:192.0.2.1') })).toBe(401);
  });

  it('does not reveal the right password while the address has to wait', async () => {
    const { clock, logIn } = await start();
    expect(await logIn({ password })).toBe(200);
    for (let tries = 0; tries < 5; tries++) await logIn({});
    expect(await logIn({ password })).toBe(429);
    clock.now += 1001;
    expect(await logIn({ password })).toBe(200);
  });

  it('never refuses a valid token, also after failures of other clients at the same address', async () => {
    const { logIn, withToken, rig } = await start();
    for (let tries = 0; tries < 6; tries++) {
      await withToken('wrong');
      await logIn({});
    }
    expect(await withToken('wrong')).toBe(429);
    expect(await withToken(adminToken)).toBe(200);
    expect(await withToken(rig.tokens.createToken({ name: 'CI', role: 'viewer' }).secret)).toBe(200);
    const body = { token: adminToken };
    expect((await rig.api('/session', { method: 'POST', body })).status).toBe(200);
  });

  it('does not count wrong tokens against log-ins with a password', async () => {
    const { logIn, withToken } = await start();
    for (let tries = 0; tries < 10; tries++) await withToken('revoked');
    expect(await logIn({ password })).toBe(200);
  });
});

describe('the address of a client behind a proxy', () => {
  const spoofed = (i: number, real: string) => ({ 'x-forwarded-for': `10.1.1.${i}`, 'x-real-ip': real });

  it('is the one in the configured header, whatever the client puts in another', async () => {
    const { withToken } = await start({ proxyHeader: 'x-real-ip' });
    for (let i = 0; i < 5; i++) expect(await withToken('wrong', spoofed(i, '192.0.2.1'))).toBe(401);
    expect(await withToken('wrong', spoofed(5, '192.0.2.1'))).toBe(429);
    expect(await withToken('wrong', spoofed(6, '192.0.2.2'))).toBe(401);
  });

  it('is that of the proxy without a configured header', async () => {
    const { rig, withToken } = await start({ proxyHeader: null });
    for (let i = 0; i < 5; i++) await withToken('wrong', spoofed(i, `10.2.2.${i}`));
    expect(await withToken('wrong', spoofed(5, '10.2.2.5'))).toBe(429);
    expect(rig.attempts.map(({ address }) => address)).toEqual(Array.from({ length: 5 }, () => '127.0.0.1'));
  });

  it('is that of the proxy if the header holds no address', async () => {
    const { rig, withToken } = await start();
    for (const text of ['unknown', '_hidden', '', '1.2.3.4.5']) await withToken('wrong', from(text));
    await withToken('wrong', from('192.0.2.7:4711'));
    await withToken('wrong', from('[2001:db8::1]:4711'));
    const [last, ...others] = rig.attempts.map(({ address }) => address).toReversed();
    expect(last).toBe('2001:db8:0:0::/64');
    expect(others).toEqual(['192.0.2.7', '127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1']);
  });
});
