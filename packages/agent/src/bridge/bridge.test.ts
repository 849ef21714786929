import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Meddle, startMeddlingProxy } from '../load/testing/meddling-proxy.ts';
import { payloadCiphers } from '../payload/payload-ciphers.ts';
import { makeBridgedSpec } from './testing/bridged-trial.ts';
import { type Bridged, type BridgedTrial, playBridged, startBridged } from './testing/play-bridged.ts';

let brokers: Bridged;
beforeAll(async () => {
  brokers = await startBridged();
});
afterAll(() => brokers.stop());

/** Expects every message once, and consistent counters of the bridge. */
function expectAll({ publisher, bridge, subscriber, failures }: BridgedTrial): void {
  expect(failures).toEqual([]);
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
    const trial = await playBridged(brokers, { spec, rehearses: true });
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
      'tcp',
      'tls',
      'connect',
      'subscribe',
      'warm-up',
      'measure',
      'drain',
      'disconnect',
    ]);
  });
  it('counts and encrypts unencrypted messages', async () => {
    const trial = await playBridged(brokers, { spec: makeBridgedSpec({ payloadCipher: null }) });
    expectAll(trial);
    expect(trial.bridge.histograms.decryption).toBeUndefined();
    expect(trial.bridge.randomness.map(({ test }) => test)).toContain('approximate entropy');
  });

  it('carries 10 KB in JSON, larger than one read', async () => {
    const spec = makeBridgedSpec({ payloadEncoding: 'base64 in JSON', readingBytes: 10_240, measureMs: 300 });
    expectAll(await playBridged(brokers, { spec }));
  });
});

const authenticated = payloadCiphers.filter(({ layout }) => layout.tagBytes > 0).map(({ id }) => id);

describe('a man in the middle', () => {
  it.each(authenticated)('who flips bits is always detected (%s)', async (payloadCipher) => {
    let passed = 0;
    let altered = 0;
    const meddle: Meddle = (packet, payloadAt) => {
      passed += 1;
      if (passed % 3 > 0) return [packet];
      altered += 1;
      // One bit in nonce, ciphertext or tag, at a different position each time.
      packet[payloadAt + ((passed * 7) % (packet.length - payloadAt))]! ^= 1 << (passed % 8);
      return [packet];
    };
    const proxy = await startMeddlingProxy(brokers.local.port, meddle);
    try {
      const spec = makeBridgedSpec({ payloadCipher, mqttVersion: '3.1.1', measureMs: 150, warmUpMs: 0 });
      const { publisher, bridge, subscriber, failures } = await playBridged(brokers, {
        spec,
        bridgePort: proxy.port,
        altered: () => altered,
      });
      expect(failures).toEqual([]);
      expect(altered).toBeGreaterThan(5);
      expect(bridge.bridge).toMatchObject({
        received: passed,
        rejected: altered,
        verified: passed - altered,
      });
      expect(bridge.counters).toMatchObject({ unauthentic: altered });
      const sent = publisher.counters?.sent ?? 0;
      expect(subscriber.counters).toMatchObject({ received: sent - altered, unauthentic: 0 });
    } finally {
      proxy.stop();
    }
  });
});
