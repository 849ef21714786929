import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { get as httpsGet, type RequestOptions } from 'node:https';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Failure } from '@mqttlab/shared/kit/failure';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { findProject, parseConfig } from './base/config.ts';
import type { LocalTestbed } from './devices/local-testbed.ts';
import { type RunningServer, startServer } from './server.ts';
import { databasePath } from './store/data-folder.ts';
import { openDatabase } from './store/database.ts';
import { makeExperimentStore } from './store/experiments/experiment-store.ts';
import { makeRunStore } from './store/runs/run-store.ts';
import { makeTokenStore } from './store/settings/access-store.ts';
import { playExperiment } from './testing/stores-factory.ts';

const folders: string[] = [];
const apps: RunningServer[] = [];

/** Agents are tested separately; here none connects. */
function noAgents(): LocalTestbed {
  return { start: () => {}, moveTo: () => {}, stop: async () => {}, wake: () => {}, pidOf: () => null };
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-app-'));
  folders.push(folder);
  return folder;
}

async function start(environment: Record<string, string>): Promise<RunningServer> {
  const config = parseConfig({ PORT: '0', LOG_LEVEL: 'silent', ...environment }, findProject());
  const app = await startServer(config, { localAgents: noAgents(), readyMs: 10 });
  apps.push(app);
  return app;
}

async function refusalOf(environment: Record<string, string>): Promise<Failure> {
  const error = await start(environment).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'cannot-start' });
  return error as Failure;
}

function request(app: RunningServer, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ask = app.address.startsWith('https') ? httpsGet : get;
    ask({ host: '127.0.0.1', port: app.port, agent: false, ...options }, resolve).once('error', reject);
  });
}

async function statusOf(app: RunningServer, options: RequestOptions): Promise<number | undefined> {
  const response = await request(app, options);
  response.resume();
  return response.statusCode;
}

const textOf = async (app: RunningServer, options: RequestOptions): Promise<string> =>
  text(await request(app, options));

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('startServer', () => {
  it('serves the API and live events, and stops completely', async () => {
    const app = await start({ MQTTLAB_DATA: makeFolder() });
    const response = await fetch(`${app.address}/version`);
    expect(await response.json()).toMatchObject({ name: 'mqttlab' });
    // Longer than clients and proxies keep idle connections, so that they do not reuse a closing one.
    expect(response.headers.get('keep-alive')).toBe('timeout=65');
    const socket = new WebSocket(`${app.address.replace('http', 'ws')}/api/v1/live`);
    const first = await new Promise((resolve) =>
      socket.once('message', (data) => resolve(JSON.parse(String(data)))),
    );
    expect(first).toMatchObject({ event: 'snapshot' });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await app.stop();
    await closed;
    await app.stop();
    await expect(fetch(`${app.address}/version`)).rejects.toThrow();
  });

  it('runs every step of its shutdown even if one fails, and reports the failure', async () => {
    const MQTTLAB_DATA = makeFolder();
    const config = parseConfig({ PORT: '0', LOG_LEVEL: 'silent', MQTTLAB_DATA }, findProject());
    const localAgents = { ...noAgents(), stop: () => Promise.reject(new Error('an agent does not end')) };
    const app = await startServer(config, { localAgents, readyMs: 10 });
    const ended = app.stop();
    expect(app.stop()).toBe(ended);
    await expect(ended).rejects.toThrow(/an agent does not end/);
    await expect(fetch(`${app.address}/version`)).rejects.toThrow();
    // The folder is free again.
    await start({ MQTTLAB_DATA });
  });

  it('keeps experiments over a restart', async () => {
    const MQTTLAB_DATA = makeFolder();
    const first = await start({ MQTTLAB_DATA });
    await fetch(`${first.address}/api/v1/experiments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    await first.stop();
    const second = await start({ MQTTLAB_DATA });
    const list = await (await fetch(`${second.address}/api/v1/experiments`)).json();
    expect(list).toMatchObject({ total: 1 });
  });

  it('computes what the pages of finished experiments request first, when none is active', async () => {
    const MQTTLAB_DATA = makeFolder();
    const database = openDatabase(databasePath(MQTTLAB_DATA));
    const stores = { experiments: makeExperimentStore(database), runs: makeRunStore(database) };
    const ids = [playExperiment(stores).id, playExperiment(stores).id];
    for (const id of ids) stores.experiments.updateExperiment(id, { status: 'paused' });
    const storedKeys = () =>
      database.all('SELECT key FROM stored_answers').map((row) => Object.values(row as object)[0]);

    const app = await start({ MQTTLAB_DATA });
    for (const id of ids) {
      expect(storedKeys()).toEqual([]);
      const path = `/api/v1/experiments/${id}/actions/cancel`;
      expect((await fetch(app.address + path, { method: 'POST' })).status).toBe(200);
    }
    await expect.poll(() => storedKeys().length).toBe(2 * ids.length);
    database.close();
  });

  it('reports that the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const bound = other.address();
    const PORT = String(typeof bound === 'object' && bound ? bound.port : 0);
    const { message, remedy } = await refusalOf({ MQTTLAB_DATA: makeFolder(), PORT });
    expect([message, remedy]).toEqual([`127.0.0.1:${PORT} is taken.`, expect.stringMatching(/PORT/)]);
    await new Promise((resolve) => other.close(resolve));
  });

  it('reports why the data folder cannot be used', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'file'), '');
    expect((await refusalOf({ MQTTLAB_DATA: join(folder, 'file') })).message).toMatch(/cannot be written/);
    await start({ MQTTLAB_DATA: folder });
    expect((await refusalOf({ MQTTLAB_DATA: folder })).message).toMatch(/Another mqttlab is using/);
    const newer = makeFolder();
    const database = openDatabase(databasePath(newer));
    database.run('PRAGMA user_version = 99');
    database.close();
    expect((await refusalOf({ MQTTLAB_DATA: newer })).message).toMatch(/version 99/);
  });

  it('serves other machines over HTTPS, with a link that creates the administrator', async () => {
    const MQTTLAB_DATA = makeFolder();
    const waiting = await start({ MQTTLAB_DATA, HOST: '0.0.0.0' });
    expect(waiting.address).toMatch(/^https:/);
    expect(waiting.messages.join('\n')).toMatch(/SHA-256 fingerprint ([0-9A-F]{2}:){31}[0-9A-F]{2}\b/);
    expect(waiting.messages.at(-1)).toMatch(/https:\/\/\S+:\d+\/log-in#[\w-]{32}$/);
    const lan = Object.values(networkInterfaces())
      .flat()
      .flatMap((one) => (one?.family === 'IPv4' && !one.internal ? one.address : []));
    for (const one of lan) expect(waiting.messages.join('\n')).toContain(`https://${one}:${waiting.port}`);
    const ca = readFileSync(join(MQTTLAB_DATA, 'tls', 'authority.pem'), 'utf8');
    const path = '/api/v1/experiments';
    expect(await statusOf(waiting, { path, ca })).toBe(401);
    await expect(statusOf(waiting, { path })).rejects.toThrow(/self-signed certificate/);
    const session = JSON.parse(await textOf(waiting, { path: '/api/v1/session', ca }));
    expect(session.authorityFingerprint).toBe(new X509Certificate(ca).fingerprint256);
    expect(await textOf(waiting, { path: '/api/v1/tls/authority.pem', ca })).toBe(ca);
    await expect(fetch(`${waiting.address.replace('https', 'http')}${path}`)).rejects.toThrow();
    await waiting.stop();

    const MQTTLAB_ADMIN_TOKEN = 'the-token-of-the-one-administrator';
    const open = await start({ MQTTLAB_DATA, HOST: '0.0.0.0', MQTTLAB_ADMIN_TOKEN });
    expect(open.messages.join()).not.toContain('/log-in#');
    const authorization = `Bearer ${MQTTLAB_ADMIN_TOKEN}`;
    expect(await statusOf(open, { path, ca, headers: { authorization } })).toBe(200);
    const live = `${open.address.replace('http', 'ws')}/api/v1/live`;
    expect(await opens(new WebSocket(live, { ca }))).toBe(false);
    expect(await opens(new WebSocket(live, { ca, headers: { authorization } }))).toBe(true);
    const foreign = { authorization, host: 'evil.example' };
    expect(await opens(new WebSocket(live, { ca, headers: foreign }))).toBe(false);
    const marked = (site: string) => ({ ca, headers: { authorization, 'sec-fetch-site': site } });
    expect(await opens(new WebSocket(live, marked('cross-site')))).toBe(false);
    expect(await opens(new WebSocket(live, marked('same-origin')))).toBe(true);
    await open.stop();

    const database = openDatabase(databasePath(MQTTLAB_DATA));
    makeTokenStore(database).createToken({ name: 'me', role: 'administrator' });
    database.close();
    expect((await start({ MQTTLAB_DATA, HOST: '0.0.0.0' })).messages.join()).not.toContain('/log-in#');
  });

  it('serves HTTP beyond loopback only if configured, with a warning of the risk', async () => {
    const waived = { MQTTLAB_DATA: makeFolder(), HOST: '0.0.0.0', MQTTLAB_INSECURE_HTTP: 'yes' };
    const app = await start(waived);
    expect(app.address).toMatch(/^http:/);
    expect(app.messages[0]).toMatch(/passwords, tokens, and the keys .* unencrypted/);
    expect((await fetch(`${app.address}/api/v1/experiments`)).status).toBe(401);
    expect((await fetch(`${app.address}/api/v1/tls/authority.pem`)).status).toBe(404);
  });

  it('serves plain HTTP to the configured proxy only', async () => {
    const other = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal);
    const proxied = { MQTTLAB_DATA: makeFolder(), HOST: '0.0.0.0', MQTTLAB_PROXY: '192.0.2.1' };
    const app = await start(proxied);
    expect(app.messages.join(' ')).toContain('MQTTLAB_PROXY_HEADER is not set');
    expect((await fetch(`${app.address}/livez`)).status).toBe(200);
    if (other) {
      const from = { path: '/livez', localAddress: other.address };
      await expect(statusOf(app, from)).rejects.toThrow();
    }
  });

  it('uses the host name of a proxy in the link that creates the administrator', async () => {
    const proxied = { MQTTLAB_DATA: makeFolder(), MQTTLAB_HOSTNAMES: 'localhost,lab.example' };
    expect((await start(proxied)).messages.join()).toContain('/log-in#');
  });

  it('closes the live connection of a token that is revoked, of an ended login, and of clients without one', async () => {
    const app = await start({ MQTTLAB_DATA: makeFolder() });
    const call = async (path: string, init: RequestInit = {}) =>
      fetch(`${app.address}/api/v1${path}`, { headers: { 'content-type': 'application/json' }, ...init });
    const live = (headers: Record<string, string>) => watch(app, headers);
    const open = await live({});
    const made = await call('/tokens', { method: 'POST', body: '{"name":"me","role":"administrator"}' });
    const cookie = made.headers.get('set-cookie')?.split(';')[0] ?? '';
    const headers = { 'content-type': 'application/json', cookie };
    expect(await open.closed).toBe(1008);

    const body = '{"name":"viewer","role":"viewer"}';
    const { token, secret } = (await (await call('/tokens', { method: 'POST', headers, body })).json()) as {
      token: { id: number };
      secret: string;
    };
    const viewer = await live({ authorization: `Bearer ${secret}` });
    const administrator = await live({ cookie });
    await call(`/tokens/${token.id}`, { method: 'DELETE', headers });
    expect(await viewer.closed).toBe(1008);
    expect(administrator.socket.readyState).toBe(WebSocket.OPEN);
    await call('/session', { method: 'DELETE', headers: { cookie } });
    expect(await administrator.closed).toBe(1008);
  });
});

/** Resolves with its first message, and reports the close code. */
async function watch(app: RunningServer, headers: Record<string, string>) {
  const socket = new WebSocket(`${app.address.replace('http', 'ws')}/api/v1/live`, { headers });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => {
    socket.once('message', resolve);
    socket.once('error', reject);
  });
  return { socket, closed };
}

function opens(socket: WebSocket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('open', () => {
      socket.close();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
