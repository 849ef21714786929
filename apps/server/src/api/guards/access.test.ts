import { request } from 'node:http';
import type { Problem } from '@mqttlab/shared/messages/http';
import { afterEach, describe, expect, it } from 'vitest';
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

const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
const adminToken = 'an-administrator-token-of-some-length';

/** fetch does not let a caller set Host. */
function statusFor(rig: ApiRig, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { port: rig.port, path: '/api/v1/experiments', method, headers };
    const sent = request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('with a login', () => {
  it('allows only health, the session and shared links without a login', async () => {
    const rig = await start({ loginRequired: true, adminToken });
    const refused = await rig.api('/experiments');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect((refused.body as Problem).remedy).toMatch(/Bearer/);
    expect((await rig.api('/experiments', { method: 'POST', text: '{{{' })).status).toBe(401);
    expect((await rig.call('/metrics')).status).toBe(401);
    expect((await rig.api('/openapi.json')).status).toBe(401);
    expect((await rig.call('/livez')).status).toBe(200);
    expect((await rig.api('/session')).body).toMatchObject({ loginRequired: true, role: null });
    expect((await rig.api(`/shared/${'A'.repeat(22)}`)).status).toBe(404);
    expect((await rig.api('/experiments', bearer('wrong'))).status).toBe(401);
  });

  it('grants each role its permissions', async () => {
    const rig = await start({ loginRequired: true, adminToken });
    const make = async (role: string) => {
      const body = { name: role, role };
      const answer = await rig.api('/tokens', { method: 'POST', body, ...bearer(adminToken) });
      expect(answer.status).toBe(201);
      return (answer.body as { secret: string }).secret;
    };
    const viewer = await make('viewer');
    const operator = await make('operator');
    const administrator = await make('administrator');
    const statusOf = async (secret: string) => [
      (await rig.api('/experiments', bearer(secret))).status,
      (await rig.api('/experiments', { method: 'POST', body: {}, ...bearer(secret) })).status,
      (await rig.api('/tokens', bearer(secret))).status,
    ];
    expect(await statusOf(viewer)).toEqual([200, 403, 403]);
    expect(await statusOf(operator)).toEqual([200, 201, 403]);
    expect(await statusOf(administrator)).toEqual([200, 201, 200]);
    const { text } = await rig.api('/tokens', bearer(administrator));
    expect(text).not.toContain(viewer);
    expect(JSON.stringify(rig.database.all('SELECT * FROM tokens'))).not.toContain(viewer);
    const [first] = rig.tokens.listTokens();
    expect(first?.lastUsedAt).not.toBeNull();
    await rig.api(`/tokens/${first!.id}`, { method: 'DELETE', ...bearer(administrator) });
    expect((await rig.api('/experiments', bearer(viewer))).status).toBe(401);
  });

  it('admits a browser with a strict HttpOnly cookie until it logs out or the token is revoked', async () => {
    let now = Date.now();
    const rig = await start({ loginRequired: true, adminToken, now: () => now });
    const { secret, token } = rig.tokens.createToken({ name: 'me', role: 'operator' });
    const login = () => rig.api('/session', { method: 'POST', body: { token: secret } });
    const opened = await login();
    const cookie = opened.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^mqttlab_session=\S+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
    expect(opened.text).not.toContain(secret);
    const withCookie = (text: string) => ({ headers: { cookie: `other=1; ${text.split(';')[0]}` } });
    const status = async (text: string) => (await rig.api('/experiments', withCookie(text))).status;
    expect(await status(cookie)).toBe(200);
    expect(JSON.stringify(rig.database.all('SELECT * FROM sessions'))).not.toContain(cookie.slice(16, 50));
    await rig.api('/session', { method: 'DELETE', ...withCookie(cookie) });
    expect(await status(cookie)).toBe(401);
    const second = (await login()).headers.get('set-cookie') ?? '';
    now += 8 * 86_400_000;
    expect(await status(second)).toBe(401);
    const third = (await login()).headers.get('set-cookie') ?? '';
    expect(await status(third)).toBe(200);
    rig.tokens.revokeToken(token.id);
    expect(await status(third)).toBe(401);
    expect((await login()).status).toBe(401);
  });
});

describe('without a login', () => {
  it('allows this machine everything', async () => {
    const rig = await start();
    expect((await rig.api('/session')).body).toMatchObject({ loginRequired: false, role: 'administrator' });
    expect((await rig.api('/tokens')).status).toBe(200);
  });
});

describe('host and origin', () => {
  it('refuses unknown host names, against DNS rebinding', async () => {
    const rig = await start({ hostnames: ['lab.example'] });
    const at = `:${rig.port}`;
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]', `LOCALHOST${at}`]) {
      expect(await statusFor(rig, { host }), host).toBe(200);
    }
    expect(await statusFor(rig, { host: 'lab.example' })).toBe(401);
    for (const host of [
      'evil.example',
      `evil.example${at}`,
      '192.0.2.1',
      '127.0.0.1.evil.example',
      'a b',
      '@',
    ]) {
      expect([400, 421], host).toContain(await statusFor(rig, { host }));
    }
  });

  it('refuses changes from pages of other sites, and accepts them from its own pages and from programs', async () => {
    const rig = await start();
    const host = `127.0.0.1:${rig.port}`;
    const send = (origin: string | null, method: string) =>
      statusFor(rig, { host, ...(origin === null ? {} : { origin }) }, method);
    for (const origin of [
      'https://evil.example',
      'null',
      `http://localhost:${rig.port}`,
      `http://127.0.0.1:1`,
    ]) {
      expect(await send(origin, 'POST'), origin).toBe(403);
    }
    expect(await send(`http://${host}`, 'POST')).toBe(400);
    expect(await send(null, 'POST')).toBe(400);
    expect(await send('https://evil.example', 'GET')).toBe(200);
  });

  it('refuses changes and WebSockets that a browser marks as from another site, even without Origin', async () => {
    const rig = await start();
    const host = `127.0.0.1:${rig.port}`;
    const send = (site: string, method: string, more: Record<string, string> = {}) =>
      statusFor(rig, { host, 'sec-fetch-site': site, ...more }, method);
    for (const site of ['cross-site', 'same-site', 'made-up']) {
      expect(await send(site, 'POST'), site).toBe(403);
      expect(await send(site, 'DELETE'), site).toBe(403);
      expect(await send(site, 'POST', { origin: `http://${host}` }), site).toBe(403);
      expect(await send(site, 'GET', { connection: 'Upgrade', upgrade: 'websocket' }), site).toBe(403);
      expect(await send(site, 'GET'), site).toBe(200);
    }
    expect(await send('same-origin', 'POST', { origin: `http://${host}` })).toBe(400);
    expect(await send('none', 'POST')).toBe(400);
    expect(await send('same-origin', 'POST', { origin: 'https://evil.example' })).toBe(403);
  });

  it('never allows another site to read, frame or sniff', async () => {
    const rig = await start();
    const { headers } = await rig.api('/experiments', { headers: { origin: 'https://evil.example' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('content-security-policy')).toMatch(/default-src 'self'.*frame-ancestors 'none'/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-powered-by')).toBeNull();
    const problem = await rig.api('/nothing');
    expect(problem.headers.get('content-security-policy')).toMatch(/frame-ancestors/);
  });
});
