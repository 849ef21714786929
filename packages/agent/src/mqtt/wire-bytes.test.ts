import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LoadClient } from '../load/load-client.ts';
import { MonotonicClock } from '../load/pacing/clock.ts';
import { makePrepare, makeStart } from '../load/testing/play-trial.ts';
import { startTestBroker, type TestBroker } from '../load/testing/test-broker.ts';
import type { LoadResult } from '../load/worker-messages.ts';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { WireTap } from '../tls/testing/wire-tap.ts';

describe('wire bytes', () => {
  let certificates: TestCertificates;
  const brokers: TestBroker[] = [];
  const taps: WireTap[] = [];
  beforeAll(async () => {
    certificates = makeTestCertificates('ECDSA P-256');
    for (const options of [{}, { certificates }]) {
      const broker = await startTestBroker(options);
      const tap = new WireTap(broker.port);
      await tap.start();
      brokers.push(broker);
      taps.push(tap);
    }
  });
  afterAll(async () => {
    for (const tap of taps) tap.stop();
    for (const broker of brokers) await broker.stop();
  });

  const tls = {
    security: 'TLS 1.3',
    cipherSuite: 'TLS_AES_256_GCM_SHA384',
    group: 'X25519',
    certificate: 'ECDSA P-256',
  } as const;
  const tls12 = {
    ...tls,
    security: 'TLS 1.2',
    cipherSuite: 'ECDHE-ECDSA-AES256-GCM-SHA384',
    group: 'P-256',
  } as const;

  it.each([
    { name: 'plain QoS 0', at: 0, level: {}, qos: 0 },
    { name: 'plain QoS 2', at: 0, level: {}, qos: 2 },
    { name: 'TLS 1.3 QoS 1', at: 1, level: tls, qos: 1 },
    { name: 'TLS 1.2 QoS 1', at: 1, level: tls12, qos: 1 },
  ] as const)(
    'of all phases add up to what passed through the wire: $name',
    async ({ name, at, level, qos }) => {
      const tap = taps[at]!;
      const load = { readingsPerSecond: 300, warmUpMs: 50, measureMs: 200, window: 1_000 };
      const spec = makeTestSpec({ ...level, ...load, qos, readingBytes: 333, topic: `tap/${name}` });
      const { authority, serverName } = certificates;
      const trial = { spec, port: tap.port, authority, serverName };
      const client = new LoadClient({
        command: makePrepare(trial, 'publisher'),
        clock: new MonotonicClock().calibrate(),
        onPhase: () => {},
        onFailure: () => {},
        rehearses: true,
      });
      await client.prepare();
      await client.connect();
      client.start(makeStart(trial));
      await client.drain(null);
      const result = await client.finish();
      // The last connection through the tap is the one that counted; its own bytes are exact.
      expect(sum(result, 'bytesSent')).toBe(tap.bytesFromClient);
      expect(sum(result, 'bytesReceived')).toBe(tap.bytesFromServer);
      expect(tap.bytesFromClient).toBeGreaterThan(60 * 333);
    },
  );
});

function sum(result: LoadResult, what: 'bytesSent' | 'bytesReceived'): number {
  return result.phases.reduce((total, phase) => total + (phase[what] ?? 0), 0);
}
