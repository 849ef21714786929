import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AuthorityRotation } from '@mqttlab/shared/messages/tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findProject, parseConfig } from '../base/config.ts';
import { AgentProcess, findAgentProgram } from '../devices/local-testbed.ts';
import { type RunningServer, startServer } from '../server.ts';

const adminToken = 'the-token-of-the-one-administrator';
const timeout = { timeout: 240_000, interval: 100 };

let folder: string;
let app: RunningServer | null = null;
const agents: AgentProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-rotate-'));
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop()));
  await app?.stop();
  app = null;
  rmSync(folder, { recursive: true });
});

const authorityPath = () => join(folder, 'data', 'tls', 'authority.pem');
const authority = () => readFileSync(authorityPath(), 'utf8');

async function start(environment: Record<string, string> = {}): Promise<RunningServer> {
  const settings = { PORT: '0', HOST: '0.0.0.0', LOG_LEVEL: 'silent', MQTTLAB_ADMIN_TOKEN: adminToken };
  const config = parseConfig(
    { ...settings, MQTTLAB_DATA: join(folder, 'data'), ...environment },
    findProject(),
  );
  const localAgents = {
    start: () => {},
    moveTo: () => {},
    stop: async () => {},
    wake: () => {},
    pidOf: () => null,
  };
  app = await startServer(config, { localAgents, readyMs: 10 });
  return app;
}

/** As the administrator, with a client that trusts only the given authority. */
function call<T>(method: string, path: string, body?: unknown, ca = authority()): Promise<T> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: app?.port, method, path: `/api/v1${path}`, headers, ca };
    const asking = request({ ...options, agent: false }, async (response) => {
      let text = '';
      for await (const part of response) text += part;
      if ((response.statusCode ?? 0) < 300) resolve(text === '' ? (null as T) : JSON.parse(text));
      else reject(new Error(`${response.statusCode} ${text}`));
    });
    asking.once('error', reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** An agent of the pool that pins the authority it was started with, as in the manifests. */
function startAgent(name: string, enrolToken: string): AgentProcess {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  copyFileSync(join(folder, 'handed-out.pem'), join(place, 'authority.pem'));
  const agent = new AgentProcess({
    name,
    program: findAgentProgram(process.env.MQTTLAB_TEST_AGENT),
    args: ['--server', `https://127.0.0.1:${app?.port}`, '--data', place, '--name', name],
    environment: {
      NODE_EXTRA_CA_CERTS: join(place, 'authority.pem'),
      MQTTLAB_ENROL_TOKEN: enrolToken,
      MQTTLAB_BROKERS: 'embedded',
    },
    onLog: () => {},
  });
  agents.push(agent);
  agent.start();
  return agent;
}

const onlineNames = async (): Promise<string[]> => {
  const { items } = await call<{ items: { name: string; online: boolean; pool?: string }[] }>(
    'GET',
    '/devices',
  );
  return items.filter(({ online, pool }) => online && pool).map(({ name }) => name);
};

it('an authority is replaced: connected agents follow, the others are named', async () => {
  const { port } = await start();
  const old = authority();
  writeFileSync(join(folder, 'handed-out.pem'), old);
  const { secret } = await call<{ secret: string }>('POST', '/enrolments', {
    pool: 'load',
    uses: 3,
    hours: 1,
  });
  const near = startAgent('near', secret);
  const far = startAgent('far', secret);
  await expect.poll(onlineNames, timeout).toEqual(['far', 'near']);
  await far.stop();
  await expect.poll(onlineNames, timeout).toEqual(['near']);

  const rotation = await call<AuthorityRotation>('POST', '/tls/rotate');
  expect(rotation.certificate).toBe(authority());
  expect(rotation.certificate).not.toBe(old);
  expect(JSON.stringify(rotation)).not.toContain('PRIVATE KEY');
  expect(rotation.devices).toMatchObject([
    { id: 'far', state: 'by-hand', remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
    { id: 'near', state: 'pinned', remedy: null },
  ]);
  await expect(call('GET', '/devices', undefined, old)).rejects.toThrow(/certificate/);
  expect(await onlineNames()).toEqual(['near']);

  // After restarts of agent and server, the updated agent reconnects; the other does not.
  await near.stop();
  await app?.stop();
  await start({ PORT: String(port) });
  startAgent('near', secret);
  startAgent('far', secret);
  await expect.poll(onlineNames, timeout).toEqual(['near']);

  // As described in the remedy.
  writeFileSync(join(folder, 'handed-out.pem'), rotation.certificate);
  await agents.at(-1)?.stop();
  startAgent('far', secret);
  await expect.poll(onlineNames, timeout).toEqual(['far', 'near']);
});

it('the command line replaces it and prints the new certificate', async () => {
  const { address } = await start();
  const old = authority();
  writeFileSync(join(folder, 'old.pem'), old);
  const entry = new URL('../../../cli/src/main.ts', import.meta.url).pathname;
  const env = { ...process.env, MQTTLAB_TOKEN: adminToken, MQTTLAB_AUTHORITY: join(folder, 'old.pem') };
  const words = ['--disable-warning=ExperimentalWarning', entry, 'tls', 'rotate', '--server', address];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { env });
  expect(stdout).toBe(authority());
  expect(stdout).not.toBe(old);
  expect(stderr).toMatch(/SHA-256 fingerprint ([0-9A-F]{2}:){31}[0-9A-F]{2}/);
});

it('an authority whose file contained its key recommends a rotation, on the console and on the page', async () => {
  const tls = join(folder, 'data', 'tls');
  mkdirSync(tls, { recursive: true });
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-noenc',
    '-keyout',
    join(folder, 'key'),
  ];
  const request = [
    'req',
    '-x509',
    ...key,
    '-subj',
    '/CN=old',
    '-days',
    '3650',
    '-out',
    join(folder, 'certificate'),
  ];
  await promisify(execFile)('openssl', request);
  const [certificate, privateKey] = ['certificate', 'key'].map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  );
  writeFileSync(authorityPath(), `${certificate}${privateKey}`);

  const { messages } = await start();
  expect(authority()).toBe(certificate);
  expect(readFileSync(join(tls, 'authority.key'), 'utf8')).toBe(privateKey);
  expect(messages.join()).toMatch(/private key.*mqttlab tls rotate/);
  const log = async () => JSON.stringify(await call('GET', '/support.json'));
  expect(await log()).toMatch(/private key.*mqttlab tls rotate/);
  await call('POST', '/tls/rotate');
  expect(authority()).not.toContain(certificate);
  await app?.stop();
  expect((await start()).messages.join()).not.toContain('tls rotate');
});

it('fails if the server has no certificate authority', async () => {
  await start({ HOST: '127.0.0.1' });
  const answer = await fetch(`${app?.address}/api/v1/tls/rotate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}` },
  });
  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({ detail: expect.stringMatching(/no certificate authority/) });
});
