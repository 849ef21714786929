import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { AgentFrame } from '@mqttlab/shared/messages/agent';
import { type DeviceSettings, noDeviceSettings } from '@mqttlab/shared/messages/device-settings';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../load/pacing/clock.ts';
import { makeTestCertificates } from '../testing/certificates.ts';
import { makeTestRecords } from '../testing/child-records.ts';
import { testEntry } from '../testing/entry.ts';
import { type FakeServer, startFakeServer } from '../testing/fake-server.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { probeFixedCapabilities, readCapabilities } from './capabilities.ts';
import { type AuthorityPins, makeAuthorityPins, makeCredentials, type ServerAddress } from './credentials.ts';
import { type FrameForAgent, type LinkTiming, ServerLink } from './server-link.ts';

const probe = {
  shaping: () => null,
  procRoot: '/proc',
  sysRoot: '/sys',
  meterUrl: null,
  get records() {
    return makeTestRecords();
  },
  supplyVolts: null,
  dataFolder: '/tmp',
  entry: testEntry,
  brokers: [],
};
/** Long enough that a briefly busy machine misses no pong. */
const quick: LinkTiming = { retryMs: 20, retryMostMs: 100, heartbeatMs: 60_000 };

interface Overrides {
  token?: string;
  server?: () => ServerAddress;
  timing?: LinkTiming;
  authority?: string;
  pins?: AuthorityPins;
}

const newPins = (extraPath: string | null = null): AuthorityPins =>
  makeAuthorityPins({ path: join(makeTemporaryFolder(), 'authorities.json'), extraPath });

function startLink(address: URL, overrides: Overrides = {}) {
  const seen = {
    frames: [] as FrameForAgent[],
    tooLarge: [] as string[],
    settings: [] as DeviceSettings[],
    ups: 0,
    downs: 0,
    log: [] as string[],
    attempts: 0,
  };
  const link = new ServerLink({
    server: () => {
      seen.attempts += 1;
      return overrides.server?.() ?? { url: address, authority: overrides.authority ?? null };
    },
    credentials: makeCredentials({
      token: overrides.token ?? 'token-of-the-test',
      enrolToken: null,
      name: 'pi',
      path: '/nowhere',
    }),
    pins: overrides.pins ?? newPins(),
    clock: systemClock,
    timing: overrides.timing ?? quick,
    makeHello: async (settings) => {
      seen.settings.push(settings);
      const capabilities = await readCapabilities(probe, await probeFixedCapabilities(probe));
      return { type: 'hello', protocol: 1, capabilities, pending: ['1-broker'] };
    },
    onLog: (_level, text) => seen.log.push(text),
  });
  link.on('frame', (frame) => seen.frames.push(frame));
  link.on('tooLarge', (key) => seen.tooLarge.push(key));
  link.on('up', () => {
    seen.ups += 1;
  });
  link.on('down', () => {
    seen.downs += 1;
  });
  link.start();
  link.start();
  onTestFinished(() => link.stop());
  return { link, seen };
}

async function startPair(
  overrides: Overrides = {},
): Promise<ReturnType<typeof startLink> & { server: FakeServer }> {
  const server = await startFakeServer();
  const pair = startLink(server.address, overrides);
  await expect.poll(() => pair.seen.ups).toBe(1);
  return { server, ...pair };
}

const reply = (id: number): AgentFrame => ({
  type: 'reply',
  id,
  runId: 1,
  outcome: { ok: true, data: null },
});

test('greets with the capabilities of the device and its pending results', async () => {
  const { server } = await startPair();
  const [hello] = server.all('hello');
  expect(hello).toMatchObject({ protocol: 1, pending: ['1-broker'] });
  expect(hello?.capabilities.cpuCores).toBeGreaterThan(0);
  expect(server.faults).toEqual([]);
});

test('has the settings of the device before its hello, at each connection', async () => {
  const { server, seen } = await startPair();
  expect(seen.settings).toEqual([noDeviceSettings]);
  const settings = { ...noDeviceSettings, meterUrl: 'http://192.0.2.1/ü?x=1', batteryMah: 5000 };
  server.settings = settings;
  server.drop();
  await expect.poll(() => seen.ups).toBe(2);
  expect(seen.settings[1]).toEqual(settings);
});

test('answers a clock request with times between those of the server', async () => {
  const { server } = await startPair();
  const t0Us = systemClock.nowUs();
  server.sendRaw(JSON.stringify({ type: 'clock', id: 4, t0Us }));
  const answer = await server.waitFor('clock');
  expect(answer).toMatchObject({ id: 4, t0Us });
  expect(answer.t1Us).toBeGreaterThanOrEqual(t0Us);
  expect(answer.t2Us).toBeGreaterThanOrEqual(answer.t1Us);
  expect(answer.t2Us).toBeLessThanOrEqual(systemClock.nowUs());
});

test('bad frames are refused with a line in the log, and the connection stays open', async () => {
  const { server, seen } = await startPair();
  server.sendRaw('{{{');
  server.sendRaw('{"type":"shutdown"}');
  server.sendRaw(JSON.stringify({ type: 'command', id: 9, runId: 3, command: { kind: 'dance' } }));
  const answer = await server.waitFor('reply', ({ id }) => id === 9);
  expect(answer.outcome).toMatchObject({ ok: false, error: { code: 'bad-command' } });
  expect(seen.log.filter((text) => text.startsWith('Refused a frame'))).toHaveLength(3);
  server.sendRaw(JSON.stringify({ type: 'ack', key: '3-broker' }));
  await expect.poll(() => seen.frames).toEqual([{ type: 'ack', key: '3-broker' }]);
});

test('reconnects after a break and then sends queued frames, but no stale progress', async () => {
  const { server, link, seen } = await startPair();
  await server.goAway();
  await expect.poll(() => seen.downs).toBe(1);
  link.send(reply(1));
  link.send({
    type: 'progress',
    runId: 1,
    progress: {
      role: 'broker',
      atMs: 0,
      messages: 0,
      messagesPerSecond: 0,
      late: 0,
      latencyMs: null,
      cpuPercent: null,
      deviceCpuPercent: null,
      residentBytes: null,
      wireBytesPerSecond: null,
    },
  });
  const { attempts } = seen;
  await expect.poll(() => seen.attempts).toBeGreaterThan(attempts);
  await server.listenAgain();
  await server.waitFor('reply', ({ id }) => id === 1);
  expect(seen.ups).toBe(2);
  expect(server.all('progress')).toEqual([]);
});

test('reports once that the server is unreachable, however often it tries', async () => {
  const nobody = createServer().listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const address = nobody.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  nobody.close();
  const { seen } = startLink(new URL(`http://127.0.0.1:${port}`));
  await expect.poll(() => seen.attempts).toBeGreaterThan(5);
  expect(seen.log).toEqual([expect.stringContaining('ECONNREFUSED')]);
});

test('a wrong token and a refusal are logged with the reason of the server', async () => {
  const server = await startFakeServer();
  const wrong = startLink(server.address, { token: 'wrong' });
  await expect.poll(() => wrong.seen.log).toEqual([expect.stringContaining('does not accept this token')]);
  await wrong.link.stop();
  server.refusal = { reason: 'This server uses protocol 2.', remedy: 'Upgrade the agent.' };
  // After a refusal it waits the maximum time at once; with the minimum it would reconnect within the test.
  const refused = startLink(server.address, { timing: { ...quick, retryMostMs: 60_000 } });
  await expect.poll(() => refused.seen.log).toEqual([expect.stringContaining('Upgrade the agent.')]);
  expect(refused.seen.attempts).toBe(1);
});

/** Runs the heartbeat on fake timers; sockets and everything else run in real time. */
async function startBeating() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const pair = await startPair();
  const beat = () => vi.advanceTimersByTime(quick.heartbeatMs);
  return { ...pair, beat };
}

test('detects a silent peer that does not close the connection', async () => {
  const { server, seen, beat } = await startBeating();
  server.freeze();
  beat();
  beat();
  await expect.poll(() => seen.downs).toBe(1);
  server.thaw();
  await expect.poll(() => seen.ups).toBe(2);
});

test('an idle connection stays open, with pings of the agent only', async () => {
  const { server, seen, link, beat } = await startBeating();
  for (const count of [1, 2, 3]) {
    beat();
    await expect.poll(() => server.pings).toBe(count);
    // The server answers in order: its pong arrived before this.
    server.sendRaw(JSON.stringify({ type: 'clock', id: count, t0Us: 0 }));
    await server.waitFor('clock', ({ id }) => id === count);
  }
  expect(seen.downs).toBe(0);
  await link.stop();
});

test('stop while connecting ends everything', async () => {
  const server = await startFakeServer();
  const { link, seen } = startLink(server.address);
  await link.stop();
  expect(seen.attempts).toBe(1);
  // A second link is served: frames of the first would have arrived before.
  const { link: other, seen: late } = startLink(server.address);
  await expect.poll(() => late.ups).toBe(1);
  expect(server.all('hello')).toHaveLength(1);
  expect([seen.attempts, seen.ups]).toEqual([1, 0]);
  await other.stop();
});

test('a link over TLS accepts only the pinned certificate of the server', async () => {
  const own = makeTestCertificates('ECDSA P-256');
  const other = makeTestCertificates('ECDSA P-256');
  const server = createHttpsServer({ cert: own.certificateChain, key: own.privateKey });
  const asked: string[] = [];
  server.on('upgrade', (request, socket) => {
    asked.push(String(request.headers.authorization));
    socket.destroy();
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const bound = server.address();
  const url = new URL(`https://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`);
  const foreign = startLink(url, { authority: other.authority });
  await expect.poll(() => foreign.seen.log.join()).toMatch(/certificate/);
  expect(asked).toEqual([]);
  // Signed by the pinned authority, for a different address.
  const elsewhere = new URL(url.href.replace('127.0.0.1', '127.0.0.2'));
  const stray = startLink(elsewhere, { authority: own.authority });
  await expect.poll(() => stray.seen.log.join()).toMatch(/127\.0\.0\.2 is not in the cert/);
  expect(asked).toEqual([]);
  startLink(url, { authority: own.authority });
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  // The pinned certificate itself is valid at any address.
  asked.length = 0;
  startLink(elsewhere, { authority: own.certificateChain, token: 'by-its-own' });
  await expect.poll(() => asked).toContain('Bearer by-its-own');
});

test('an attempt that fails before it connects is reported and retried', async () => {
  const server = await startFakeServer();
  const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
  let dials = 0;
  const { seen } = startLink(server.address, {
    server: () => {
      dials += 1;
      return { url: server.address, authority: dials < 4 ? damaged : null };
    },
  });
  await expect.poll(() => seen.ups).toBe(1);
  expect(dials).toBe(4);
  expect(seen.log.filter((text) => /certificate|PEM|asn1/i.test(text))).toHaveLength(1);
});
