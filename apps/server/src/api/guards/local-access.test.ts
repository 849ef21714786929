import { request } from 'node:http';
import { connect } from 'node:net';
import type { Problem } from '@mqttlab/shared/messages/http';
import { afterEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../store/storage-error.ts';
import { type ApiRig, type RigOptions, startApiRig } from '../testing/api-rig.ts';

const rigs: ApiRig[] = [];
async function start(options: RigOptions = {}): Promise<ApiRig> {
  const rig = await startApiRig(options);
  rigs.push(rig);
  return rig;
}
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.stop()));
});

const adminToken = 'an-administrator-token-of-some-length';
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** fetch lets no caller set Host. */
function ask(
  rig: ApiRig,
  headers: Record<string, string> = {},
): Promise<{ status: number; problem: Problem }> {
  return new Promise((resolve, reject) => {
    const options = { port: rig.port, path: '/api/v1/experiments', headers };
    const sent = request(options, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, problem: JSON.parse(text) });
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** Like a proxy without identifying headers: nginx with proxy_pass alone. */
function askInHttp10(rig: ApiRig): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(rig.port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.once('end', () => resolve(text.split('\r\n')[0] ?? ''));
    socket.once('error', reject);
    socket.write(
      `GET /api/v1/experiments HTTP/1.0\r\nHost: 127.0.0.1:${rig.port}\r\nConnection: close\r\n\r\n`,
    );
  });
}

describe('without an administrator, a refusal says why', () => {
  const detailOf = async (options: RigOptions, headers: Record<string, string> = {}) => {
    const { status, problem } = await ask(await start(options), headers);
    expect(status).toBe(401);
    return problem.detail;
  };

  it('a request through a proxy, on a server on loopback', async () => {
    expect(await detailOf({}, { 'x-forwarded-for': '192.0.2.1' })).toMatch(
      /^There is no administrator yet, and this request came from another machine, through a proxy/,
    );
  });

  it('any request, on a server that other machines can reach', async () => {
    expect(await detailOf({ loginRequired: true })).toBe(
      'There is no administrator yet, and this server can be reached by other machines, so every request needs a login.',
    );
  });
});

describe('a server on loopback', () => {
  it('always requires the configured administrator token', async () => {
    const rig = await start({ adminToken });
    expect((await ask(rig)).status).toBe(401);
    expect((await rig.api('/session')).body).toMatchObject({ loginRequired: true, role: null });
    expect((await rig.call('/metrics')).status).toBe(401);
    expect((await ask(rig, bearer(adminToken))).status).toBe(200);
    expect((await ask(rig, { ...bearer(adminToken), 'x-forwarded-for': '192.0.2.1' })).status).toBe(200);
  });

  it.each([
    ['Forwarded', 'for=192.0.2.1'],
    ['X-Forwarded-For', '192.0.2.1'],
    ['X-Forwarded-Host', 'lab.example'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Real-IP', '192.0.2.1'],
    ['Via', '1.1 proxy'],
    ['CF-Connecting-IP', '192.0.2.1'],
  ])('without a token refuses requests that a proxy forwarded with %s', async (header, value) => {
    const rig = await start();
    expect((await ask(rig)).status).toBe(200);
    const { status, problem } = await ask(rig, { [header]: value });
    expect(status).toBe(401);
    expect(problem.remedy).toMatch(/MQTTLAB_ADMIN_TOKEN/);
  });

  it('detects nginx, which sends no identifying header, by HTTP/1.0', async () => {
    const rig = await start();
    expect(await askInHttp10(rig)).toMatch(/ 401 /);
  });

  it('requires a token under a host name of another machine', async () => {
    const rig = await start({ hostnames: ['lab.example'] });
    expect((await ask(rig, { host: 'lab.example' })).status).toBe(401);
    for (const host of ['localhost', '127.9.9.9', '[::1]'])
      expect((await ask(rig, { host })).status, host).toBe(200);
  });

  it('requires a token as soon as an administrator token exists, and keeps its creator logged in', async () => {
    const rig = await start();
    const make = (role: string) => rig.api('/tokens', { method: 'POST', body: { name: role, role } });
    await make('viewer');
    expect((await ask(rig)).status).toBe(200);
    const made = await make('administrator');
    expect(made.status).toBe(201);
    expect((await ask(rig)).status).toBe(401);
    const cookie = made.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await ask(rig, { cookie })).status).toBe(200);
    expect((await rig.api('/session', { headers: { cookie } })).body).toMatchObject({
      role: 'administrator',
    });
  });
});

describe('wrong tokens', () => {
  const login = (rig: ApiRig, token: string) => rig.api('/session', { method: 'POST', body: { token } });

  it('are slowed, logged and counted once, on login and as bearer', async () => {
    let now = 1_000_000;
    const rig = await start({ adminToken, now: () => now });
    for (let tries = 0; tries < 4; tries++) expect((await login(rig, `wrong ${tries}`)).status).toBe(401);
    expect((await ask(rig, bearer('guessed'))).status).toBe(401);
    expect(rig.attempts.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5]);
    expect(rig.attempts[0]?.address).toBe('127.0.0.1');
    const slowed = await login(rig, 'wrong');
    expect(slowed.status).toBe(429);
    expect(slowed.headers.get('retry-after')).toBe('1');
    expect((await ask(rig, bearer('guessed'))).status).toBe(429);
    now += 1001;
    expect((await login(rig, 'wrong again')).status).toBe(401);
    now += 1001;
    expect((await login(rig, 'wrong again')).status).toBe(429);
    now += 1001;
    expect((await login(rig, 'wrong again')).status).toBe(401);
  });

  it('of one address behind a proxy slow only that address', async () => {
    const rig = await start({ adminToken, proxyHeader: 'x-forwarded-for' });
    const from = (address: string) => ({ ...bearer('guessed'), 'x-forwarded-for': `spoofed, ${address}` });
    for (let tries = 0; tries < 5; tries++) await ask(rig, from('192.0.2.1'));
    expect((await ask(rig, from('192.0.2.1'))).status).toBe(429);
    expect((await ask(rig, from('192.0.2.2'))).status).toBe(401);
  });
});

describe('sessions', () => {
  const login = async (rig: ApiRig, headers: Record<string, string> = {}) => {
    const answer = await rig.api('/session', { method: 'POST', body: { token: adminToken }, headers });
    return answer.headers.get('set-cookie') ?? '';
  };

  it('are limited: the oldest of a token ends', async () => {
    let now = 1_000_000;
    const rig = await start({ adminToken, now: () => now });
    const cookies: string[] = [];
    for (let count = 0; count < 22; count++) {
      now++;
      cookies.push((await login(rig)).split(';')[0] ?? '');
    }
    const statuses = await Promise.all(cookies.map(async (cookie) => (await ask(rig, { cookie })).status));
    expect(statuses).toEqual([401, 401, ...Array.from({ length: 20 }, () => 200)]);
  });

  it('have a Secure cookie wherever the connection is', async () => {
    const rig = await start({ adminToken });
    expect(await login(rig)).not.toMatch(/Secure/);
    expect(await login(rig, { 'x-forwarded-proto': 'https' })).toMatch(/; Secure$/);
    expect(await login(rig, { forwarded: 'for=192.0.2.1;proto=https' })).toMatch(/; Secure$/);
    expect(await login(rig, { origin: `https://127.0.0.1:${rig.port}` })).toMatch(/; Secure$/);
  });
});

it('accepts a token even if the disk is too full to record its use', async () => {
  const rig = await start({ adminToken });
  const { secret } = rig.tokens.createToken({ name: 'me', role: 'viewer' });
  const full = new StorageError('full', 'The disk is full.', { remedy: 'Free some space.' });
  rig.tokens.touchToken = () => {
    throw full;
  };
  expect((await ask(rig, bearer(secret))).status).toBe(200);
});
