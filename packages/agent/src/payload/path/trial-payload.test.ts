import { carriedBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { payloadEncodings, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectLossless } from '../../load/testing/expect-lossless.ts';
import { makeTestPayloadKeys } from '../../load/testing/payload-keys.ts';
import { playTrial } from '../../load/testing/play-trial.ts';
import { startTestBroker, type TestBroker } from '../../load/testing/test-broker.ts';
import { makeTestSpec } from '../../testing/specs.ts';
import { findPayloadCipher } from '../payload-ciphers.ts';

let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({ lines: ['message_size_limit 0'] });
});
afterAll(() => broker.stop());

/** The window is large enough to send everything at the end, even if this process was suspended. */
const short = { warmUpMs: 20, measureMs: 200, window: 1_000 };

async function play(change: Partial<TrialSpec>) {
  const spec = makeTestSpec({ ...short, ...change });
  const cipher = spec.payloadCipher === null ? undefined : findPayloadCipher(spec.payloadCipher);
  const keys = cipher && { payloadKeys: makeTestPayloadKeys(cipher) };
  return { spec, trial: await playTrial({ spec, port: broker.port, ...keys }) };
}

const nothingRefused = { unauthentic: 0, replayed: 0, malformed: 0, duplicate: 0 };

/** One of each implementation; all are crossed with both encodings in apps/server/src/run/matrix.realtime.test.ts. */
const exemplary = [
  ['aes-256-gcm', 'binary'],
  ['salsa20-blake2b', 'base64 in JSON'],
  ['speck-128-256-ctr-hmac-sha256', 'binary'],
  ['ecdh-p256-aes-128-cbc-as-published', 'base64 in JSON'],
] as const;

describe('payloads', () => {
  it.each(exemplary)(
    'with %s, %s, are counted and timed on both sides',
    async (payloadCipher, payloadEncoding) => {
      const { spec, trial } = await play({ payloadCipher, payloadEncoding });
      expectLossless(spec, trial);
      const { publisher, subscriber } = trial;
      expect(publisher.counters?.payloadBytesSent).toBe(40 * 64);
      expect(publisher.counters?.carriedBytesSent).toBe(40 * carriedBytesOf(spec));
      expect(subscriber.counters).toMatchObject({ ...nothingRefused, payloadBytesReceived: 40 * 64 });
      const { encryption } = publisher.histograms;
      const { decryption } = subscriber.histograms;
      for (const times of [encryption, decryption]) {
        expect(times?.count).toBe(40);
        expect(LatencyHistogram.fromJson(times).percentile(50)).toBeGreaterThan(0.1);
        expect(times?.max).toBeLessThan(1e6);
      }
      // Latency includes the time to decrypt.
      expect(subscriber.latency?.min).toBeGreaterThan(decryption?.min ?? Number.POSITIVE_INFINITY);
      expect(publisher.randomness.map(({ test }) => test)).toEqual([
        'monobit',
        'runs',
        'approximate entropy',
      ]);
      for (const { messages, passed, meanP } of publisher.randomness) {
        expect(messages).toBe(40);
        // Of 40 good ciphertexts, one in a hundred fails: ten failures are practically impossible.
        expect(passed).toBeGreaterThan(30);
        expect(meanP).toBeGreaterThan(0.2);
      }
    },
  );

  it('are encoded without a cipher as well', async () => {
    const { spec, trial } = await play({ payloadEncoding: 'base64 in JSON' });
    expectLossless(spec, trial);
    expect(trial.publisher.counters?.carriedBytesSent).toBe(40 * (26 + 88));
    expect(trial.publisher.histograms.encryption).toBeUndefined();
    expect(trial.publisher.randomness).toEqual([]);
  });

  it.each(payloadEncodings)(
    'arrive from several publishers at several subscribers, %s',
    async (payloadEncoding) => {
      const { spec, trial } = await play({
        payloadCipher: 'aes-256-gcm',
        payloadEncoding,
        qos: 2,
        mqttVersion: '5.0',
        publishers: 3,
        subscribers: 2,
        measureMs: 400,
      });
      expectLossless(spec, trial);
      expect(trial.subscriber.counters).toMatchObject(nothingRefused);
      expect(trial.subscriber.histograms.decryption?.count).toBe(3 * 2 * 80);
    },
  );

  it.each(payloadEncodings)('may be larger than any buffer, %s', async (payloadEncoding) => {
    const { spec, trial } = await play({
      payloadCipher: 'chacha20-poly1305',
      payloadEncoding,
      readingBytes: 300_000,
      readingsPerSecond: 25,
    });
    expectLossless(spec, trial);
    expect(trial.subscriber.counters?.payloadBytesReceived).toBe(5 * 300_000);
  });

  it('may be too small for a stamp, and then have no latency', async () => {
    const { trial } = await play({ payloadCipher: 'aes-128-ccm-8', readingBytes: 1 });
    expect(trial.publisher.counters).toMatchObject({ sent: 40, carriedBytesSent: 40 * 21 });
    expect(trial.subscriber.counters).toMatchObject({ received: 40, unstamped: 40, ...nothingRefused });
    expect(trial.subscriber.latency).toBeNull();
    expect(trial.subscriber.histograms.decryption?.count).toBe(40);
  });

  it('of a fast load are timed in part, and those of the warm-up not at all', async () => {
    const { spec, trial } = await play({
      payloadCipher: 'aes-128-gcm',
      readingsPerSecond: 4_000,
      // All of them: a briefly paused machine leaves none unsent.
      window: 4_000,
      warmUpMs: 100,
      measureMs: 400,
    });
    expectLossless(spec, trial);
    for (const times of [trial.publisher.histograms.encryption, trial.subscriber.histograms.decryption]) {
      expect(times?.count).toBeGreaterThanOrEqual(199);
      expect(times?.count).toBeLessThanOrEqual(201);
    }
  });

  it('are sent as fast as possible with correct counts', async () => {
    const { trial } = await play({
      payloadCipher: 'ascon-aead128',
      readingsPerSecond: null,
      qos: 1,
      measureMs: 1_000,
    });
    const sent = trial.publisher.counters?.sent ?? 0;
    expect(sent).toBeGreaterThan(0);
    expect(trial.subscriber.counters).toMatchObject({ received: sent, ...nothingRefused });
  });

  it.each([
    [{ payloadCipher: 'rot13' }, 'the payload cipher "rot13"'],
    [{ payloadCipher: 'aes-256-gcm' }, 'needs a key of the kind "secret", not none'],
  ])('%o without its requirements fails with a reason', async (change, reason) => {
    const trial = playTrial({ spec: makeTestSpec({ ...short, ...change }), port: broker.port });
    await expect(trial).rejects.toMatchObject({
      report: {
        code: 'payload-cipher',
        message: expect.stringContaining(reason),
        remedy: expect.any(String),
      },
    });
  });

  it('with a key of another size fail with a reason that does not include the key', async () => {
    const secret = Buffer.alloc(16, 0x41).toString('base64');
    const key = { kind: 'secret', secret } as const;
    const spec = makeTestSpec({ ...short, payloadCipher: 'aes-256-gcm' });
    const trial = playTrial({ spec, port: broker.port, payloadKeys: { publisher: key, subscriber: key } });
    const error: unknown = await trial.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      report: { code: 'payload-cipher', message: expect.stringContaining('not 16') },
    });
    expect(JSON.stringify(error)).not.toContain(secret);
  });
});
