import { afterEach, describe, expect, it } from 'vitest';
import { type ApiRig, type RigOptions, startApiRig } from './testing/api-rig.ts';
import { postAtOnce } from './testing/post-at-once.ts';

const rigs: ApiRig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.stop()));
});
async function start(options: RigOptions = {}): Promise<ApiRig> {
  const rig = await startApiRig(options);
  rigs.push(rig);
  return rig;
}

const adminToken = 'an-administrator-token-of-some-length';
const bearer = { authorization: `Bearer ${adminToken}` };
const password = 'a long enough one';

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const statusesOf = async (answers: readonly Promise<{ status: number }>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status).sort((a, b) => a - b);
const cookieOf = (answer: { headers: Headers }) =>
  (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

describe('simultaneous requests', () => {
  it('with the first-administrator link create one administrator', async () => {
    const rig = await start({ loginRequired: true });
    const secret = rig.services.gate.firstSecret;
    const uses = times(8, (i) =>
      rig.api('/accounts/first', { method: 'POST', body: { secret, name: `Anna ${i}`, password } }),
    );
    expect(await statusesOf(uses)).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    expect(rig.accounts.listAccounts()).toHaveLength(1);
  });

  it('create one account per name', async () => {
    const rig = await start({ loginRequired: true, adminToken });
    const body = { name: 'Ben', role: 'viewer', password };
    const made = times(8, () => rig.api('/accounts', { method: 'POST', headers: bearer, body }));
    expect(await statusesOf(made)).toEqual([201, 422, 422, 422, 422, 422, 422, 422]);
    expect(rig.accounts.listAccounts()).toHaveLength(1);
  });

  it('never remove or demote the last administrator', async () => {
    const rig = await start({ loginRequired: true });
    const ids = await Promise.all(
      times(
        4,
        async (i) =>
          (await rig.accounts.createAccount({ name: `Anna ${i}`, role: 'administrator', password }))!.id,
      ),
    );
    const opened = await rig.api('/session', { method: 'POST', body: { name: 'Anna 0', password } });
    const headers = { cookie: cookieOf(opened) };
    await Promise.all(
      ids.flatMap((id) => [
        rig.api(`/accounts/${id}`, { method: 'PATCH', headers, body: { role: 'viewer', password } }),
        rig.api(`/accounts/${id}`, { method: 'DELETE', headers }),
      ]),
    );
    expect(rig.accounts.countAdministrators()).toBeGreaterThanOrEqual(1);
  });

  it('with the old password open no session that survives the change of the password', async () => {
    const rig = await start({ loginRequired: true, adminToken });
    const { id } = (await rig.accounts.createAccount({ name: 'Ben', role: 'viewer', password }))!;
    const change = rig.api(`/accounts/${id}`, {
      method: 'PATCH',
      headers: bearer,
      body: { password: 'another long one' },
    });
    const opened = await Promise.all(
      times(20, () => rig.api('/session', { method: 'POST', body: { name: 'Ben', password } })),
    );
    expect((await change).status).toBe(200);
    const cookies = opened.filter(({ status }) => status === 200).map(cookieOf);
    const still = cookies.map((cookie) => rig.api('/experiments', { headers: { cookie } }));
    expect((await statusesOf(still)).filter((status) => status !== 401)).toEqual([]);
  });

  it('of an account for another password do not undo the one that an administrator sets', async () => {
    const rig = await start({ loginRequired: true, adminToken });
    const { id } = (await rig.accounts.createAccount({ name: 'Ben', role: 'viewer', password }))!;
    const headers = {
      cookie: cookieOf(await rig.api('/session', { method: 'POST', body: { name: 'Ben', password } })),
    };
    const body = { password, newPassword: 'of an attacker' };
    const own = times(4, () => rig.api('/session/password', { method: 'PUT', headers, body }));
    const set = rig.api(`/accounts/${id}`, {
      method: 'PATCH',
      headers: bearer,
      body: { password: 'set by the administrator' },
    });
    await Promise.all([...own, set]);
    expect(await rig.accounts.verifyPassword('Ben', 'set by the administrator')).toMatchObject({ id });
  });

  it('open a share link as often as it allows', async () => {
    const rig = await start({ loginRequired: true, adminToken });
    const make = async (limits: object) => {
      const body = { kind: 'experiment', experimentId: rig.createDraft(), maxOpenings: 3, ...limits };
      return ((await rig.api('/shares', { method: 'POST', headers: bearer, body })).body as { token: string })
        .token;
    };
    const open = await make({});
    const opened = await statusesOf(times(40, () => rig.api(`/shared/${open}`)));
    expect(opened.filter((status) => status === 200)).toHaveLength(3);
    const locked = await make({ password });
    const unlocked = await statusesOf(
      times(20, () => rig.api(`/shared/${locked}`, { method: 'POST', body: { password } })),
    );
    expect(unlocked).toEqual([200, 200, 200, ...times(17, () => 410)]);
  });

  it('with the password do not open a share link that is revoked meanwhile', async () => {
    const rig = await start({ loginRequired: true, adminToken });
    const body = { kind: 'experiment', experimentId: rig.createDraft(), password };
    const { token } = (await rig.api('/shares', { method: 'POST', headers: bearer, body })).body as {
      token: string;
    };
    const opening = times(5, () => rig.api(`/shared/${token}`, { method: 'POST', body: { password } }));
    await rig.api(`/shares/${token}`, { method: 'DELETE', headers: bearer });
    const refused = await statusesOf(opening);
    expect(refused).toEqual([410, 410, 410, 410, 410]);
  });

  it('with one Idempotency-Key create one share link', async () => {
    const rig = await start();
    const body = { kind: 'experiment', experimentId: rig.createDraft(), password };
    const headers = { 'idempotency-key': 'the-same' };
    const made = await statusesOf(times(20, () => rig.api('/shares', { method: 'POST', headers, body })));
    expect(made.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(rig.shares.listShares()).toHaveLength(1);
  });

  it('add no more webhooks than the limit', async () => {
    const rig = await start();
    const body = { url: 'http://localhost:9/', events: ['run.failed'] };
    const made = await postAtOnce(
      rig.port,
      times(40, () => ({ path: '/webhooks', body })),
    );
    expect(made.sort()).toEqual([...times(20, () => 201), ...times(20, () => 409)]);
    await rig.api('/webhooks/1', { method: 'DELETE' });
    await rig.api('/webhooks', { method: 'POST', body });
    expect((await rig.api('/webhooks/1/restore', { method: 'POST' })).status).toBe(409);
  });
});
