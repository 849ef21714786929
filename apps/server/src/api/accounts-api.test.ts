import { afterEach, describe, expect, it } from 'vitest';
import { type ApiRig, type RigOptions, startApiRig } from './testing/api-rig.ts';

const rigs: ApiRig[] = [];
async function start(options: RigOptions = {}): Promise<ApiRig> {
  const rig = await startApiRig({ loginRequired: true, ...options });
  rigs.push(rig);
  return rig;
}
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.stop()));
});

const password = 'a long enough one';
const cookieOf = (answer: { headers: Headers }) =>
  (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

function makeCalls(rig: ApiRig) {
  return {
    first: (secret: string, name = 'Anna') =>
      rig.api('/accounts/first', { method: 'POST', body: { secret, name, password } }),
    logIn: (name: string, shown = password, headers = {}) =>
      rig.api('/session', { method: 'POST', body: { name, password: shown }, headers }),
    statusOf: async (cookie: string) => (await rig.api('/experiments', { headers: { cookie } })).status,
    as: (cookie: string) => (method: string, path: string, body?: unknown) =>
      rig.api(path, { method, headers: { cookie }, ...(body === undefined ? {} : { body }) }),
  };
}

/** A rig with Anna, who is its administrator and logged in. */
async function startWithAnna(options: RigOptions = {}) {
  const rig = await start(options);
  const calls = makeCalls(rig);
  const anna = cookieOf(await calls.first(rig.services.gate.firstSecret));
  return { rig, ...calls, anna };
}

it('returns the origin of links only to callers who are logged in', async () => {
  const originOf = async (options: RigOptions) => {
    const rig = await start(options);
    return ((await rig.api('/session')).body as { publicOrigin: string | null }).publicOrigin;
  };
  const publicUrl = 'https://lab.example';
  expect(await originOf({ loginRequired: false, publicUrl })).toBe(publicUrl);
  expect(await originOf({ loginRequired: false })).toBeNull();
  expect(await originOf({ loginRequired: true, publicUrl })).toBeNull();
});

describe('the first administrator', () => {
  it('is created once, and only with the printed link', async () => {
    const rig = await start();
    const { first, statusOf } = makeCalls(rig);
    expect((await rig.api('/session')).body).toMatchObject({ needsFirst: true, role: null });
    expect((await rig.api('/experiments')).text).toMatch(/link that the server printed/);
    expect((await first('guessed')).status).toBe(401);
    const made = await first(rig.services.gate.firstSecret);
    expect(made.body).toMatchObject({ needsFirst: false, role: 'administrator', name: 'Anna' });
    expect(await statusOf(cookieOf(made))).toBe(200);
    expect((await first(rig.services.gate.firstSecret, 'Eve')).status).toBe(409);
    expect(JSON.stringify(rig.database.all('SELECT * FROM accounts'))).toMatch(
      /\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    );
  });

  it('is optional on loopback; creating it there requires login from then on, and keeps its creator logged in', async () => {
    const rig = await start({ loginRequired: false });
    expect((await rig.api('/experiments')).status).toBe(200);
    const body = { name: 'Anna', role: 'administrator', password };
    const made = await rig.api('/accounts', { method: 'POST', body });
    expect(made.status).toBe(201);
    expect((await rig.api('/experiments')).status).toBe(401);
    expect(await makeCalls(rig).statusOf(cookieOf(made))).toBe(200);
  });

  it('cannot be removed as the last one', async () => {
    const { as, anna } = await startWithAnna();
    expect((await as(anna)('DELETE', '/accounts/1')).status).toBe(409);
    expect((await as(anna)('PATCH', '/accounts/1', { role: 'viewer' })).status).toBe(409);
    await as(anna)('POST', '/accounts', { name: 'Ben', role: 'administrator', password });
    expect((await as(anna)('PATCH', '/accounts/1', { role: 'viewer' })).status).toBe(200);
    expect((await as(anna)('GET', '/accounts')).status).toBe(403);
  });
});

describe('an account', () => {
  it('logs in by name and password, and returns its identity', async () => {
    const { as, anna, logIn, statusOf } = await startWithAnna();
    await as(anna)('POST', '/accounts', { name: 'Ben', role: 'operator', password });
    expect((await as(anna)('POST', '/accounts', { name: 'ben', role: 'viewer', password })).status).toBe(422);
    expect(
      (await as(anna)('POST', '/accounts', { name: 'Cem', role: 'viewer', password: 'short' })).text,
    ).toMatch(/at least 10 characters/);
    const ben = await logIn('BEN');
    expect(ben.body).toMatchObject({ role: 'operator', name: 'Ben', accountId: 2 });
    expect(await statusOf(cookieOf(ben))).toBe(200);
    expect((await logIn('Ben', 'another long one')).text).toMatch(/Name or password is wrong/);
    expect((await logIn('Nobody')).text).toMatch(/Name or password is wrong/);
  });

  it('is limited by guesses from all addresses, except at addresses that logged in before', async () => {
    let now = 1_000_000;
    const { logIn } = await startWithAnna({ now: () => now, proxyHeader: 'x-forwarded-for' });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    expect((await logIn('Anna', password, from('192.0.2.200'))).status).toBe(200);
    for (let tries = 0; tries < 5; tries++) {
      expect((await logIn('Anna', `guess ${tries}`, from(`192.0.2.${tries}`))).status).toBe(401);
    }
    expect((await logIn('Anna', 'one more', from('192.0.2.99'))).status).toBe(429);
    expect((await logIn('anna', password, from('192.0.2.200'))).status).toBe(200);
    now += 1001;
    expect((await logIn('Anna', password, from('192.0.2.99'))).status).toBe(200);
  });

  it('changes its password, which ends all its other sessions', async () => {
    const { as, anna, logIn, statusOf } = await startWithAnna();
    const elsewhere = cookieOf(await logIn('Anna'));
    const change = (present: string) =>
      as(anna)('PUT', '/session/password', { password: present, newPassword: 'quite another one' });
    expect((await change('not this one')).status).toBe(422);
    expect((await change(password)).status).toBe(204);
    expect([await statusOf(anna), await statusOf(elsewhere)]).toEqual([200, 401]);
    expect((await logIn('Anna')).status).toBe(401);
    expect((await logIn('Anna', 'quite another one')).status).toBe(200);
  });

  it('is logged out everywhere by itself or by an administrator', async () => {
    const { as, anna, logIn, statusOf } = await startWithAnna();
    await as(anna)('POST', '/accounts', { name: 'Ben', role: 'viewer', password });
    const bens = [cookieOf(await logIn('Ben')), cookieOf(await logIn('Ben'))];
    await as(bens[0]!)('DELETE', '/sessions');
    expect(await Promise.all(bens.map(statusOf))).toEqual([401, 401]);
    const again = cookieOf(await logIn('Ben'));
    await as(anna)('DELETE', '/accounts/2/sessions');
    expect([await statusOf(again), await statusOf(anna)]).toEqual([401, 200]);
    const last = cookieOf(await logIn('Ben'));
    await as(anna)('DELETE', '/accounts/2');
    expect(await statusOf(last)).toBe(401);
  });
});

it('a session in use gets another secret every hour, and its use ends the earlier one', async () => {
  let now = 1_000_000;
  const { rig, anna, statusOf } = await startWithAnna({ now: () => now });
  now += 3_600_001;
  const answer = await rig.api('/experiments', { headers: { cookie: anna } });
  const rotated = cookieOf(answer);
  expect(rotated).toMatch(/^mqttlab_session=mql_/);
  expect(rotated).not.toBe(anna);
  // The answer may not have arrived: the earlier secret still works, and nothing is rotated again.
  now += 600_000;
  expect(cookieOf(await rig.api('/experiments', { headers: { cookie: anna } }))).toBe('');
  expect([await statusOf(rotated), await statusOf(anna)]).toEqual([200, 200]);
  now += 60_001;
  expect([await statusOf(rotated), await statusOf(anna)]).toEqual([200, 401]);
});

it('a token expires at the configured time', async () => {
  let now = 1_000_000;
  const { rig, as, anna } = await startWithAnna({ now: () => now });
  const body = { name: 'CI', role: 'viewer', scope: 'experiments' };
  expect((await as(anna)('POST', '/tokens', { ...body, expiresAt: now - 1 })).status).toBe(422);
  const made = await as(anna)('POST', '/tokens', { ...body, expiresAt: now + 1000 });
  const { secret } = made.body as { secret: string };
  const call = () => rig.api('/experiments', { headers: { authorization: `Bearer ${secret}` } });
  expect((await call()).status).toBe(200);
  now += 1001;
  expect((await call()).status).toBe(401);
  expect(rig.tokens.listTokens()[0]).toMatchObject({ scope: 'experiments', lastUsedAt: 1_000_000 });
});

it('a revoked token is refused at once, and restored only by the user who revoked it, within five minutes', async () => {
  let now = 1_000_000;
  const { rig, as, anna } = await startWithAnna({ now: () => now });
  const made = await as(anna)('POST', '/tokens', { name: 'CI', role: 'viewer', scope: 'experiments' });
  const { secret, token } = made.body as { secret: string; token: { id: number } };
  const ben = rig.tokens.createToken({ name: 'Ben', role: 'administrator' }).secret;
  const status = async () =>
    (await rig.api('/experiments', { headers: { authorization: `Bearer ${secret}` } })).status;
  const restore = `/tokens/${token.id}/restore`;
  const restoreByBen = async () =>
    (await rig.api(restore, { method: 'POST', headers: { authorization: `Bearer ${ben}` } })).status;
  const restoreByAnna = async () => (await as(anna)('POST', restore)).status;
  const revoke = async () => (await as(anna)('DELETE', `/tokens/${token.id}`)).status;
  expect(await status()).toBe(200);
  expect(await restoreByAnna()).toBe(409);
  expect([await revoke(), await status()]).toEqual([204, 401]);
  now += 4 * 60_000;
  expect([await restoreByBen(), await status()]).toEqual([409, 401]);
  expect([await restoreByAnna(), await status()]).toEqual([204, 200]);
  // The time of the first revocation counts.
  await revoke();
  now += 4 * 60_000;
  await revoke();
  now += 60_001;
  expect([await restoreByAnna(), await status()]).toEqual([409, 401]);
  expect((await as(anna)('POST', '/tokens/99/restore')).status).toBe(404);
});
