import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payloadCiphers } from '../crypto/payload-ciphers.ts';
import { MonotonicClock } from '../load/monotonic.ts';
import { type Meddle, startMeddlingProxy } from '../load/testing/meddling-proxy.ts';
import { startTestBroker, type TestBroker } from '../load/testing/test-broker.ts';
import type { TestCertificates } from '../testing/certificates.ts';
import { BridgeClient } from './bridge-client.ts';
import {
  makeBridgedCommands,
  makeBridgedSpec,
  makeCloudCertificates,
  makeEnds,
  makeStartSoon,
} from './testing/bridged-trial.ts';

let certificates: TestCertificates;
let local: TestBroker;
let cloud: TestBroker;
beforeAll(async () => {
  certificates = makeCloudCertificates();
  local = await startTestBroker();
  cloud = await startTestBroker({ certificates });
});
afterAll(async () => {
  await local.stop();
  await cloud.stop();
});

interface PlayOptions {
  spec: TrialSpec;
  bridgePort?: number;
  cloudPorts?: readonly number[];
  /** While the load goes on. */
  during?: () => Promise<void>;
}

async function play({ spec, bridgePort, cloudPorts = [cloud.port], during }: PlayOptions) {
  const ports = bridgePort === undefined ? {} : { bridgePort };
  const commands = makeBridgedCommands({ spec, localPort: local.port, ...ports, cloudPorts, certificates });
  const { publisher, subscriber, troubles } = makeEnds(commands);
  const logs: string[] = [];
  const bridge = new BridgeClient({
    command: commands.bridge,
    clock: new MonotonicClock().calibrate(),
    onPhase: () => {},
    onLog: (_level, text) => logs.push(text),
    heartbeatMs: 100,
  });
  const all = [subscriber, bridge, publisher];
  try {
    for (const each of all) await each.prepare();
    for (const each of all) await each.connect();
    const at = makeStartSoon(spec);
    for (const each of all) each.start(at);
    const [sent] = await Promise.all([publisher.drain(null), during?.()]);
    const passed = await bridge.drain(sent.messages);
    const arrived = await subscriber.drain(passed.messages);
    const results = {
      publisher: await publisher.finish(),
      bridge: await bridge.finish(),
      subscriber: await subscriber.finish(),
    };
    return { ...results, sent, passed, arrived, troubles, logs };
  } finally {
    await Promise.all(all.map((each) => each.finish()));
  }
}

/** Every message once, and the counters of the bridge agree with each other. */
function expectAll({ publisher, bridge, subscriber, troubles }: Awaited<ReturnType<typeof play>>): void {
  expect(troubles).toEqual([]);
  const sent = publisher.counters?.sent ?? 0;
  expect(sent).toBeGreaterThan(0);
  expect(subscriber.counters).toMatchObject({ received: sent, unauthentic: 0, replayed: 0, malformed: 0 });
  expect(bridge.counters).toMatchObject({ received: sent, sent });
  const { received = 0, verified = 0, rejected = 0, duplicates = 0, forwarded = 0 } = bridge.bridge ?? {};
  expect(received).toBe(verified + rejected + duplicates);
  expect(forwarded).toBe(verified);
}

describe('a bridge', () => {
  it.each([
    ['3.1.1', 0],
    ['3.1.1', 1],
    ['3.1.1', 2],
    ['5.0', 0],
    ['5.0', 1],
    ['5.0', 2],
  ] as const)('carries every message over MQTT %s at QoS %i', async (mqttVersion, qos) => {
    const spec = makeBridgedSpec({ mqttVersion, qos, topic: `bridge/${mqttVersion}/${qos}` });
    const trial = await play({ spec });
    expectAll(trial);
    expect(trial.bridge.bridge).toMatchObject({ rejected: 0, duplicates: 0, resent: 0, failovers: 0 });
    expect(trial.bridge.negotiated).toMatchObject({
      protocol: 'TLSv1.3',
      cipherSuite: 'TLS_AES_256_GCM_SHA384',
      group: 'X25519',
    });
    expect(trial.bridge.upstream).toMatchObject({ protocol: null, grantedQos: qos });
    expect(trial.subscriber.latency?.count).toBe(trial.sent.messages);
    expect(trial.bridge.histograms.decryption?.count).toBeGreaterThan(0);
    expect(trial.bridge.histograms.encryption?.count).toBeGreaterThan(0);
    const names = trial.bridge.phases.map(({ phase }) => phase);
    expect(names).toEqual([
      ...['tcp', 'tls', 'connect', 'subscribe'],
      ...['warm-up', 'measure', 'drain', 'disconnect'],
    ]);
  });
});
