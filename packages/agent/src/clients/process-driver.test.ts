import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { makeTestRecords } from '../testing/child-records.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { startOfferedBroker } from '../workloads/testing/offered-broker.ts';
import { phaseOf, playTrial, type TestTrial } from '../workloads/testing/play-trial.ts';
import { startTestBroker, type TestBroker } from '../workloads/testing/test-broker.ts';
import { findClients } from './client-kinds.ts';

const engine = { client: 'mosquitto clients', readingBytes: 100, readingsPerSecond: 100 } as const;
/** paho-mqtt only where a Python has it (MQTTLAB_PYTHON). */
const engines = (await findClients()).map(({ engine: client }) => client);
const scripts = engines.filter((client) => client !== 'mosquitto clients');
const tls13 = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_CHACHA20_POLY1305_SHA256',
  group: 'P-384',
  certificate: 'ECDSA P-256',
} as const;
const tls12 = {
  ...tls13,
  security: 'TLS 1.2',
  cipherSuite: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  group: 'P-256',
} as const;

let certificates: TestCertificates;
beforeAll(() => {
  certificates = makeTestCertificates('ECDSA P-256');
});

async function startBroker(options: Parameters<typeof startTestBroker>[0] = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  onTestFinished(() => broker.stop());
  return broker;
}

function trialOf(port: number, spec: Partial<TrialSpec>, change: Partial<TestTrial> = {}): TestTrial {
  const folders = { publisher: makeTemporaryFolder(), subscriber: makeTemporaryFolder() };
  const { authority, serverName } = certificates;
  return { port, spec: makeTestSpec({ ...engine, ...spec }), authority, serverName, folders, ...change };
}

test('finds mosquitto clients and mqtt.js', () => {
  expect(engines).toEqual(expect.arrayContaining(['mosquitto clients', 'mqtt.js']));
});

/** Every version, security and QoS by each of them. */
const kinds = [
  { qos: 0, mqttVersion: '3.1' },
  { qos: 1, mqttVersion: '3.1.1', ...tls12 },
  { qos: 2, mqttVersion: '5.0', ...tls13 },
] as const;

test.each(engines.flatMap((client) => kinds.map((kind) => ({ client, ...kind }))))(
  '$client at QoS $qos carry every message, with its latency from the instant it was due, and offer nothing but what is asked',
  { timeout: 30_000 },
  async (kind) => {
    const { client, qos } = kind;
    const tls = 'security' in kind ? kind : null;
    const { port } = await startBroker(tls === null ? {} : { certificates });
    const played = await playTrial(trialOf(port, kind));
    expect(played.troubles).toEqual([]);
    const { sent, acknowledged, unsent } = played.publisher.counters!;
    expect(sent + unsent).toBe(50);
    expect(acknowledged).toBe(qos === 0 ? 0 : sent);
    expect(played.subscriber.counters).toMatchObject({ received: sent, duplicate: 0, reordered: 0 });
    expect(played.subscriber.counters?.payloadBytesReceived).toBe(sent * 100);
    expect(played.subscriber.degraded).toEqual([]);
    const { latency, negotiated } = played.subscriber;
    expect(latency?.count).toBe(sent);
    expect(latency?.min ?? 0).toBeGreaterThan(0);
    expect(played.publisher.lateness?.count).toBe(sent);
    expect(played.publisher.facts['client.engine']).toBe(client);
    // Set-up and certificate cannot be seen from outside.
    expect(negotiated).toMatchObject({
      protocol: tls?.security.replace('TLS ', 'TLSv') ?? null,
      cipherSuite: tls?.cipherSuite ?? null,
      group: tls?.group ?? null,
      certificate: null,
      grantedQos: client === 'mosquitto clients' ? null : qos,
    });
  },
);

test('is measured by its own processes: CPU of each phase, ports, bytes as the kernel counts them', async () => {
  const { port } = await startBroker();
  const spec = { readingsPerSecond: 2_000, publishers: 2, subscribers: 3, measureMs: 1_000 };
  const { publisher, subscriber } = await playTrial(trialOf(port, spec));
  expect(subscriber.counters?.received).toBe((publisher.counters?.sent ?? 0) * 3);
  const { arrived } = subscriber.throughput ?? {};
  expect((arrived?.firstHalf ?? 0) + (arrived?.secondHalf ?? 0)).toBeGreaterThan(3 * 2 * 2_000 * 0.8);
  expect(publisher.throughput?.sent?.firstHalf).toBeGreaterThan(2 * 1_000 * 0.8);
  for (const [result, processes] of [
    [publisher, 2],
    [subscriber, 3],
  ] as const) {
    const isSender = result === publisher;
    const { bytesSent, bytesReceived } = phaseOf(result, 'measure');
    const [traffic, carried] = isSender ? [bytesSent, publisher] : [bytesReceived, subscriber];
    const { counters } = carried;
    const messages = isSender ? counters?.sent : counters?.received;
    // Type and length, topic behind its length, properties, payload (MQTT 5 section 3.3).
    const expected = (messages ?? 0) * (2 + 2 + trialOf(port, spec).spec.topic.length + 1 + 100);
    expect(Math.abs((traffic ?? 0) / expected - 1)).toBeLessThan(0.1);
    const inPhases = result.phases.reduce((sum, phase) => sum + (phase.bytesSent ?? Number.NaN), 0);
    // Beside it CONNECT, SUBSCRIBE, probes, DISCONNECT, and what went before the kernel was asked.
    expect(Number(result.facts['connections.bytesSent']) - inPhases).toBeGreaterThan(20);
    expect(Number(result.facts['connections.bytesSent']) - inPhases).toBeLessThan(20_000);
    expect(phaseOf(result, 'measure').cpuUs).toBeGreaterThan(0);
    expect(result.facts['client.processes']).toBe(processes);
    expect(new Set(result.localPorts).size).toBe(processes);
    expect(result.negotiated).toMatchObject({ localAddress: '127.0.0.1', localPort: result.localPorts[0] });
    // Set-up cannot be seen from outside: nothing is said about it.
    expect(result.phases.map(({ phase }) => phase)).toEqual(['warm-up', 'measure', 'drain']);
  }
});

test.each(scripts)(
  '%s says what is wrong, and goes over WebSocket',
  async (client) => {
    const broker = await startBroker({ certificates });
    const stranger = makeTestCertificates('ECDSA P-256');
    const distrusting = playTrial(
      trialOf(broker.port, { ...tls13, client }, { authority: stranger.authority }),
    );
    await expect(distrusting).rejects.toMatchObject({ failure: { code: 'tls-handshake' } });
    const misnamed = playTrial(trialOf(broker.port, { ...tls13, client }, { serverName: 'elsewhere.test' }));
    await expect(misnamed).rejects.toMatchObject({ failure: { code: 'tls-handshake' } });
    await broker.stop();
    const nobody = playTrial(trialOf(broker.port, { client, transport: 'websocket' }));
    const words = expect.not.stringContaining('Warning');
    await expect(nobody).rejects.toMatchObject({ failure: { code: 'connection-refused', message: words } });
    const spec = makeTestSpec({ ...engine, ...tls13, client, transport: 'websocket' });
    const web = await startOfferedBroker('embedded', { spec, certificates });
    const { subscriber, sent } = await playTrial(trialOf(web, spec));
    expect(sent.messages).toBeGreaterThan(0);
    expect(subscriber.counters?.received).toBe(sent.messages);
  },
  60_000,
);

const oneByOne = [
  { qos: 1, mqttVersion: '5.0' },
  { qos: 0, mqttVersion: '3.1.1', ...tls13 },
] as const;

test.each(scripts.flatMap((client) => oneByOne.map((kind) => ({ client, ...kind }))))(
  '$client make a connection for each message at QoS $qos, and tell what each phase took',
  async (kind) => {
    const tls = 'security' in kind;
    const { port } = await startBroker(tls ? { certificates } : {});
    const spec = { ...kind, workload: 'reconnect', readingsPerSecond: 10, publishers: 2 } as const;
    const { publisher, subscriber, troubles } = await playTrial(trialOf(port, { ...spec, measureMs: 1_000 }));
    expect(troubles).toEqual([]);
    const { sent, acknowledged, unsent, connectionsOpened, connectionsFailed } = publisher.counters!;
    expect(sent).toBeGreaterThan(10);
    expect({ all: sent + unsent, connectionsOpened, connectionsFailed, acknowledged }).toEqual({
      all: 20,
      connectionsOpened: sent,
      connectionsFailed: 0,
      acknowledged: kind.qos === 0 ? 0 : sent,
    });
    expect(subscriber.counters).toMatchObject({ received: sent, duplicate: 0 });
    expect(publisher.degraded).toEqual([]);
    const phases = publisher.histograms;
    const sum = (name: keyof typeof phases) => phases[name]?.sum ?? 0;
    expect(phases['phase.set-up']?.count).toBe(sent);
    expect(phases['phase.tls']?.count).toBe(tls ? sent : undefined);
    for (const name of ['phase.tcp', 'phase.connect'] as const) expect(phases[name]?.min).toBeGreaterThan(0);
    const inPhases = sum('phase.tcp') + sum('phase.tls') + sum('phase.connect');
    expect(Math.abs(inPhases / sum('phase.set-up') - 1)).toBeLessThan(0.01);
    expect(new Set(publisher.localPorts).size).toBeGreaterThanOrEqual(sent);
    const each = (publisher.counters?.connectionBytesSent ?? 0) / sent;
    // The message and what goes around it; under TLS a ClientHello too.
    expect(each).toBeGreaterThan(tls ? 350 : 130);
    expect(each).toBeLessThan(tls ? 2_000 : 300);
    expect(publisher.negotiated?.cipherSuite).toBe(tls ? kind.cipherSuite : null);
  },
  30_000,
);

test.each(scripts)(
  '%s tell why a connection for a message failed',
  async (client) => {
    const broker = await startBroker();
    let taken = 0;
    // Subscriber, its helper, the publisher's first and two for messages; the next are turned away.
    const gate = createServer((socket) => {
      taken += 1;
      const through = taken > 5 ? null : connect(broker.port, '127.0.0.1');
      for (const end of [socket, through]) end?.on('error', () => {});
      if (through === null) socket.destroy();
      else socket.pipe(through).pipe(socket);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void gate.close());
    await once(gate, 'listening');
    const { port } = gate.address() as AddressInfo;
    const spec = { client, workload: 'reconnect', readingsPerSecond: 10, warmUpMs: 0 } as const;
    const { publisher, subscriber } = await playTrial(trialOf(port, spec));
    const { sent, unsent, connectionsOpened, connectionsFailed } = publisher.counters!;
    expect({ sent, connectionsOpened, received: subscriber.counters?.received }).toEqual({
      sent: 2,
      connectionsOpened: 2,
      received: 2,
    });
    expect(connectionsFailed).toBe(3);
    expect(sent + unsent).toBe(5);
    expect(publisher.degraded[0]?.reason).toMatch(
      /^3 of 5 connections failed, the first because: .* did not connect/,
    );
  },
  30_000,
);

test.each([
  ['3.1.1', Buffer.of(0x20, 2, 0, 1)],
  ['5.0', Buffer.of(0x20, 3, 0, 0x84, 0)],
] as const)(
  'a broker that refuses MQTT %s is named so',
  async (mqttVersion, refusal) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(refusal));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(playTrial(trialOf(port, { mqttVersion }))).rejects.toMatchObject({
      failure: { code: 'connack-refused', message: expect.stringMatching(/protocol version/i) },
    });
  },
  60_000,
);

test('logs in with a password that no argument shows', async () => {
  const passwords = `${makeTemporaryFolder()}/passwords`;
  execFileSync('mosquitto_passwd', ['-b', '-c', passwords, 'lab', 'correct horse']);
  const { port } = await startBroker({ lines: ['allow_anonymous false', `password_file ${passwords}`] });
  const credentials = { username: 'lab', password: 'correct horse' };
  const folders = { publisher: makeTemporaryFolder(), subscriber: makeTemporaryFolder() };
  const { sent, received } = await playTrial(trialOf(port, {}, { credentials, folders }));
  expect(received.messages).toBe(sent.messages);
  expect(readFileSync(`${folders.publisher}/config/mosquitto_pub`, 'utf8')).toContain('correct horse');
  const wrong = playTrial(trialOf(port, {}, { credentials: { ...credentials, password: 'wrong' } }));
  await expect(wrong).rejects.toMatchObject({ failure: { code: 'connack-refused' } });
}, 60_000);

test('a client that is killed in mid-run is trouble, and none is left behind', async () => {
  const { port } = await startBroker();
  const trial = trialOf(port, { measureMs: 3_000, drainTimeoutMs: 500 });
  const playing = playTrial(trial);
  let pid = 0;
  await expect
    .poll(() => (pid = findClient(trial.folders!.publisher)), { timeout: 10_000, interval: 20 })
    .toBeGreaterThan(0);
  // The one that is found first may still be the probe of the connect phase; the last is the publisher.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  pid = findClient(trial.folders!.publisher);
  process.kill(pid, 'SIGKILL');
  const { troubles } = await playing;
  expect(troubles[0]?.code).toBe('connection-lost');
  expect(findClient(trial.folders!.publisher)).toBe(0);
  expect(existsSync(`/proc/${pid}`)).toBe(false);
}, 30_000);

test('clients are on record, so that the next agent ends those that a killed one leaves', async () => {
  const { port } = await startBroker();
  const trial = trialOf(port, { measureMs: 3_000, drainTimeoutMs: 500 });
  const playing = playTrial(trial);
  await expect.poll(() => findClient(trial.folders!.publisher), { timeout: 10_000 }).toBeGreaterThan(0);
  // By then the probes of the connect phase are gone.
  await wait(1_500);
  const records = join(trial.folders!.publisher, 'children');
  const pids = readdirSync(records).map((name) => Number.parseInt(name, 10));
  expect(pids).toContain(findClient(trial.folders!.publisher));
  await makeTestRecords(records).open();
  expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  expect((await playing).troubles[0]?.code).toBe('connection-lost');
}, 30_000);

/** The mosquitto_pub of a Run, by the folder that its environment names; 0 when there is none. */
function findClient(folder: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return Number(pids.find((pid) => isClientOf(pid, folder)) ?? 0);
}

function isClientOf(pid: string, folder: string): boolean {
  try {
    const [command, environment] = ['comm', 'environ'].map((name) =>
      readFileSync(`/proc/${pid}/${name}`, 'latin1'),
    );
    return command === 'mosquitto_pub\n' && environment?.includes(folder) === true;
  } catch {
    return false;
  }
}
