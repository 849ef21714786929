import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningApp, startApp } from './app.ts';
import { parseConfig } from './base/config.ts';
import { StartError } from './base/errors.ts';
import { findProject } from './base/project.ts';
import { databasePath } from './store/data-folder.ts';
import { openDatabase } from './store/database.ts';
import { makeTokenStore } from './store/settings/token-store.ts';
import type { LocalTestbed } from './testbed/local/local-testbed.ts';

const folders: string[] = [];
const apps: RunningApp[] = [];

/** The agents have tests of their own; here nobody dials in. */
function noAgents(): LocalTestbed {
  return { start: () => {}, stop: async () => {}, wake: () => {}, pidOf: () => null };
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-app-'));
  folders.push(folder);
  return folder;
}

async function start(environment: Record<string, string>): Promise<RunningApp> {
  const config = parseConfig({ PORT: '0', LOG_LEVEL: 'silent', ...environment }, findProject());
  const app = await startApp(config, { localAgents: noAgents(), readyMs: 10 });
  apps.push(app);
  return app;
}

async function refusalOf(environment: Record<string, string>): Promise<StartError> {
  const error = await start(environment).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartError);
  return error as StartError;
}

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('startApp', () => {
  it('serves the API and live events, and stops for good', async () => {
    const app = await start({ MQTTLAB_DATA: makeFolder() });
    const version = await (await fetch(`${app.address}/version`)).json();
    expect(version).toMatchObject({ name: 'mqttlab' });
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

  it('says that the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const bound = other.address();
    const PORT = String(typeof bound === 'object' && bound ? bound.port : 0);
    const { message, remedy } = await refusalOf({ MQTTLAB_DATA: makeFolder(), PORT });
    expect([message, remedy]).toEqual([`127.0.0.1:${PORT} is taken.`, expect.stringMatching(/PORT/)]);
    await new Promise((resolve) => other.close(resolve));
  });

  it('says that the data folder cannot be used, and why', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'file'), '');
    expect((await refusalOf({ MQTTLAB_DATA: join(folder, 'file') })).message).toMatch(/cannot be written/);
    await start({ MQTTLAB_DATA: folder });
    expect((await refusalOf({ MQTTLAB_DATA: folder })).message).toMatch(/Another mqttlab uses/);
    const newer = makeFolder();
    const database = openDatabase(databasePath(newer));
    database.run('PRAGMA user_version = 99');
    database.close();
    expect((await refusalOf({ MQTTLAB_DATA: newer })).message).toMatch(/version 99/);
  });

  it('opens to other machines only with an administrator token, and then asks for it', async () => {
    const MQTTLAB_DATA = makeFolder();
    const refused = await refusalOf({ MQTTLAB_DATA, HOST: '0.0.0.0' });
    expect(refused.remedy).toMatch(/MQTTLAB_ADMIN_TOKEN.*token create/);
    expect(readdirSync(MQTTLAB_DATA)).not.toContain('mqttlab.db-wal');

    const MQTTLAB_ADMIN_TOKEN = 'the-token-of-the-one-administrator';
    const open = await start({ MQTTLAB_DATA, HOST: '0.0.0.0', MQTTLAB_ADMIN_TOKEN });
    const address = `${open.address}/api/v1/experiments`;
    expect((await fetch(address)).status).toBe(401);
    const authorization = `Bearer ${MQTTLAB_ADMIN_TOKEN}`;
    expect((await fetch(address, { headers: { authorization } })).status).toBe(200);
    const live = `${open.address.replace('http', 'ws')}/api/v1/live`;
    expect(await opens(new WebSocket(live))).toBe(false);
    expect(await opens(new WebSocket(live, { headers: { authorization } }))).toBe(true);
    expect(await opens(new WebSocket(live, { headers: { authorization, host: 'evil.example' } }))).toBe(
      false,
    );
    await open.stop();

    const database = openDatabase(databasePath(MQTTLAB_DATA));
    makeTokenStore(database).create({ name: 'me', role: 'administrator' });
    database.close();
    await start({ MQTTLAB_DATA, HOST: '0.0.0.0' });
  });

  it('reaches other machines through a name of a proxy only with a token', async () => {
    const proxied = { MQTTLAB_DATA: makeFolder(), MQTTLAB_HOSTNAMES: 'localhost,lab.example' };
    const refused = await refusalOf(proxied);
    expect(refused.message).toMatch(/MQTTLAB_HOSTNAMES=lab.example opens mqttlab to other machines/);
    await start({ ...proxied, MQTTLAB_ADMIN_TOKEN: 'the-token-of-the-one-administrator' });
  });

  it('closes the live connection of a token that is revoked, of a login that ends, and of who never had one', async () => {
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

/** Resolves with its first message, and tells with which code it was closed. */
async function watch(app: RunningApp, headers: Record<string, string>) {
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
