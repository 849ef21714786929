import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { beforeAll, expect, test } from 'vitest';
import { makeClientTrial, startBroker } from '../load/testing/client-trial.ts';
import { startOfferedBroker } from '../load/testing/offered-broker.ts';
import { playTrial, type TestTrial } from '../load/testing/play-trial.ts';
import { startSilentBroker } from '../load/testing/silent-broker.ts';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { findClients } from './client-kinds.ts';

/** paho-mqtt, only if a Python has it (MQTTLAB_PYTHON). */
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

function trialOf(port: number, spec: Partial<TrialSpec>, change: Partial<TestTrial> = {}): TestTrial {
  const { authority, serverName } = certificates;
  return makeClientTrial(port, spec, { authority, serverName, ...change });
}

test('finds mosquitto clients and mqtt.js', () => {
  expect(engines).toEqual(expect.arrayContaining(['mosquitto clients', 'mqtt.js']));
});

/** Every version, security level and QoS with each of them. */
const kinds = [
  { qos: 0, mqttVersion: '3.1' },
  { qos: 1, mqttVersion: '3.1.1', ...tls12 },
  { qos: 2, mqttVersion: '5.0', ...tls13 },
] as const;

test.each(engines.flatMap((client) => kinds.map((kind) => ({ client, ...kind }))))(
  '$client at QoS $qos carry every message, with latency from the time it was due, and offer only the planned parameters',
  async (kind) => {
    const { client, qos } = kind;
    const tls = 'security' in kind ? kind : null;
    const { port } = await startBroker(tls === null ? {} : { certificates });
    const played = await playTrial(trialOf(port, kind));
    expect(played.failures).toEqual([]);
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
    // Set-up and certificate are not visible from outside.
    expect(negotiated).toMatchObject({
      protocol: tls?.security.replace('TLS ', 'TLSv') ?? null,
      cipherSuite: tls?.cipherSuite ?? null,
      group: tls?.group ?? null,
      certificate: null,
      grantedQos: client === 'mosquitto clients' ? null : qos,
    });
  },
);

test('mosquitto_sub takes more messages of QoS 2 at once than the 20 that it allows by default', async () => {
  const { port } = await startBroker();
  const spec = {
    qos: 2,
    mqttVersion: '5.0',
    publishers: 10,
    readingsPerSecond: 500,
    measureMs: 1000,
    // A busy machine delivers the rest late.
    drainTimeoutMs: 120_000,
  } as const;
  const played = await playTrial(trialOf(port, { client: 'mosquitto clients', ...spec }));
  expect(played.failures).toEqual([]);
  const { sent } = played.publisher.counters!;
  expect(sent).toBeGreaterThan(100);
  expect(played.subscriber.counters).toMatchObject({ received: sent, duplicate: 0 });
});

test.each(scripts)('%s reports its errors, and works over WebSocket', async (client) => {
  const broker = await startBroker({ certificates });
  const stranger = makeTestCertificates('ECDSA P-256');
  const distrusting = playTrial(
    trialOf(broker.port, { ...tls13, client }, { authority: stranger.authority }),
  );
  await expect(distrusting).rejects.toMatchObject({ report: { code: 'tls-handshake' } });
  const misnamed = playTrial(trialOf(broker.port, { ...tls13, client }, { serverName: 'elsewhere.test' }));
  await expect(misnamed).rejects.toMatchObject({ report: { code: 'tls-handshake' } });
  await broker.stop();
  const nobody = playTrial(trialOf(broker.port, { client, transport: 'websocket' }));
  const words = expect.not.stringContaining('Warning');
  await expect(nobody).rejects.toMatchObject({ report: { code: 'connection-refused', message: words } });
  const { spec } = trialOf(0, { ...tls13, client, transport: 'websocket', mqttVersion: '3.1' });
  const web = await startOfferedBroker('embedded', { spec, certificates });
  const { subscriber, sent } = await playTrial(trialOf(web, spec));
  expect(sent.messages).toBeGreaterThan(0);
  expect(subscriber.counters?.received).toBe(sent.messages);
});

test.each(engines)('%s present a certificate to the broker, several in parallel', async (client) => {
  const { spec } = trialOf(0, { ...tls13, client, clientCertificate: 'mutual TLS', publishers: 3 });
  const { authority, certificateChain, privateKey } = certificates;
  const port = await startOfferedBroker('mosquitto', { spec, certificates, clientAuthority: authority });
  const certificate = { certificateChain, privateKey };
  const { publisher, subscriber, failures } = await playTrial(trialOf(port, spec, { certificate }));
  expect(failures).toEqual([]);
  expect(publisher.counters?.sent).toBeGreaterThan(0);
  expect(subscriber.counters?.received).toBe(publisher.counters?.sent);
  await expect(playTrial(trialOf(port, spec))).rejects.toThrow();
});

test.each(scripts)(
  '%s at full speed send no more than the window before the first acknowledgement',
  async (client) => {
    const { port, published } = await startSilentBroker();
    const spec = { client, qos: 1, mqttVersion: '3.1.1', readingsPerSecond: null, window: 7 } as const;
    const { publisher } = await playTrial(
      trialOf(port, { ...spec, warmUpMs: 0, measureMs: 500, drainTimeoutMs: 300 }),
    );
    expect(published()).toBe(7);
    // At most one message more in the pipe: the rest would wait there, and be sent after the end.
    expect(publisher.counters?.sent).toBeLessThanOrEqual(8);
    expect(publisher.counters?.acknowledged).toBe(0);
  },
);

const oneByOne = [
  { qos: 1, mqttVersion: '5.0' },
  { qos: 0, mqttVersion: '3.1.1', ...tls13 },
] as const;

test.each(scripts.flatMap((client) => oneByOne.map((kind) => ({ client, ...kind }))))(
  '$client open a connection for each message at QoS $qos, and report the time of each phase',
  async (kind) => {
    const tls = 'security' in kind;
    const { port } = await startBroker(tls ? { certificates } : {});
    const spec = { ...kind, workload: 'reconnect', readingsPerSecond: 5, publishers: 2 } as const;
    const { publisher, subscriber, failures } = await playTrial(trialOf(port, { ...spec, measureMs: 1_000 }));
    expect(failures).toEqual([]);
    const { sent, acknowledged, unsent, connectionsOpened, connectionsFailed } = publisher.counters!;
    expect(sent).toBeGreaterThan(0);
    expect({ all: sent + unsent, connectionsOpened, connectionsFailed, acknowledged }).toEqual({
      all: 10,
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
    // The message and its framing; under TLS also a ClientHello.
    expect(each).toBeGreaterThan(tls ? 350 : 130);
    expect(each).toBeLessThan(tls ? 2_000 : 300);
    expect(publisher.negotiated?.cipherSuite).toBe(tls ? kind.cipherSuite : null);
  },
);
