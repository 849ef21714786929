import { payloadsAuthentic } from '@mqttlab/shared/catalogue/verdicts/payloads-authentic';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeRoleResult } from '@mqttlab/shared/testing/factories';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Meddle, startMeddlingProxy } from '../../load/testing/meddling-proxy.ts';
import { makeTestPayloadKeys } from '../../load/testing/payload-keys.ts';
import { type PlayedTrial, playTrial } from '../../load/testing/play-trial.ts';
import { startTestBroker, type TestBroker } from '../../load/testing/test-broker.ts';
import { makeTestSpec } from '../../testing/specs.ts';
import { findPayloadCipher, payloadCiphers } from '../payload-ciphers.ts';

let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker();
});
afterAll(() => broker.stop());

const sent = 60;
/** One of each construction; the pairwise matrix of real runs alters messages of every cipher. */
const constructions = [
  'aes-256-gcm',
  'aes-128-ccm-8',
  'aes-128-eax',
  'aes-256-ctr-hmac-sha256',
  'salsa20-blake2b',
  'ascon-aead128',
];
const authenticated = payloadCiphers
  .filter(({ id, layout }) => layout.tagBytes > 0 && constructions.includes(id))
  .map(({ id }) => id);
const unauthenticated = 'ecdh-p256-aes-128-cbc-as-published';

interface Attack {
  change: Partial<TrialSpec>;
  meddle?: Meddle;
  /** Keys of two different runs. */
  strangers?: boolean;
}

/** 60 messages through a man in the middle. */
async function attack({ change, meddle = (packet) => [packet], strangers = false }: Attack) {
  const spec = makeTestSpec({
    warmUpMs: 0,
    measureMs: 300,
    qos: 0,
    window: 1_000,
    drainTimeoutMs: 4_000,
    ...change,
  });
  const cipher = findPayloadCipher(spec.payloadCipher ?? '');
  if (cipher === undefined) throw new Error('an attack needs a cipher');
  const keys = makeTestPayloadKeys(cipher);
  const payloadKeys = strangers ? { ...keys, subscriber: makeTestPayloadKeys(cipher).subscriber } : keys;
  const proxy = await startMeddlingProxy(broker.port, meddle);
  try {
    const trial = await playTrial({ spec, port: proxy.port, payloadKeys });
    expect(trial.failures).toEqual([]);
    expect(trial.publisher.counters?.sent).toBe(sent);
    const { counters, latency, degraded } = trial.subscriber;
    return { counters, latency, degraded, ...judge(spec, trial) };
  } finally {
    proxy.stop();
  }
}

function judge(spec: TrialSpec, { publisher, subscriber }: PlayedTrial) {
  const results = [
    makeRoleResult({ role: 'publisher', counters: publisher.counters }),
    makeRoleResult({ role: 'subscriber', counters: subscriber.counters }),
  ];
  return { verdict: payloadsAuthentic.judge({ spec, results }) };
}

/** Changes the first of every three messages. */
function everyThird(meddle: Meddle): Meddle {
  let seen = -1;
  return (packet, payloadAt) => {
    seen += 1;
    return seen % 3 === 0 ? meddle(packet, payloadAt) : [packet];
  };
}

const flipBit = (where: (packet: Buffer, payloadAt: number) => number): Meddle =>
  everyThird((packet, payloadAt) => {
    packet[where(packet, payloadAt)]! ^= 0x10;
    return [packet];
  });
const replacePayload = (payload: Buffer): Meddle =>
  everyThird((packet, payloadAt) => {
    const header = packet.subarray(2, payloadAt);
    return [Buffer.concat([Buffer.from([packet[0]!, header.length + payload.length]), header, payload])];
  });

describe.each(authenticated)('a payload with %s', (payloadCipher) => {
  it('that was changed in transit counts as unauthentic, and never as received', async () => {
    const meddle = flipBit((packet) => packet.length - 1);
    const { counters, latency, verdict } = await attack({ change: { payloadCipher }, meddle });
    expect(counters).toMatchObject({
      received: 40,
      unauthentic: 20,
      replayed: 0,
      malformed: 0,
      duplicate: 0,
    });
    expect(latency?.count).toBe(40);
    expect(verdict).toMatchObject({ status: 'failed', evidence: expect.stringContaining('20 unauthentic') });
  });
});

describe('a payload', () => {
  const payloadCipher = 'aes-128-gcm';

  it.each([
    ['nonce', (_packet: Buffer, payloadAt: number) => payloadAt],
    ['sequence number', (_packet: Buffer, payloadAt: number) => payloadAt + 11],
    ['ciphertext', (_packet: Buffer, payloadAt: number) => payloadAt + 12],
  ])('with another %s is unauthentic', async (_what, where) => {
    const { counters } = await attack({ change: { payloadCipher }, meddle: flipBit(where) });
    expect(counters).toMatchObject({ received: 40, unauthentic: 20, malformed: 0 });
  });

  it('under another topic is unauthentic', async () => {
    const meddle = flipBit((_packet, payloadAt) => payloadAt - 1);
    const { counters } = await attack({ change: { payloadCipher }, meddle });
    expect(counters).toMatchObject({ received: 40, unauthentic: 20, malformed: 0 });
  });

  it('that was changed in its encoding is refused either way', async () => {
    const change = { payloadCipher, payloadEncoding: 'base64 in JSON' } as const;
    const inText = await attack({ change, meddle: flipBit((packet) => packet.length - 20) });
    const { unauthentic = 0, malformed = 0, received } = inText.counters ?? {};
    expect(received).toBe(40);
    expect(unauthentic + malformed).toBe(20);
    const inJson = await attack({ change, meddle: flipBit((packet) => packet.length - 1) });
    expect(inJson.counters).toMatchObject({ received: 40, unauthentic: 0, malformed: 20 });
    expect(inJson.verdict.status).toBe('failed');
  });

  it('that arrives a second time is replayed', async () => {
    const meddle = everyThird((packet) => [packet, packet]);
    const { counters, verdict } = await attack({ change: { payloadCipher }, meddle });
    expect(counters).toMatchObject({ received: sent, replayed: 20, duplicate: 0, unauthentic: 0 });
    expect(verdict.status).toBe('failed');
  });

  it('that MQTT delivers again is a duplicate, not an attack', async () => {
    const meddle = everyThird((packet) => {
      const again = Buffer.from(packet);
      again[0]! |= 0x08;
      return [packet, again];
    });
    const { counters, verdict } = await attack({ change: { payloadCipher, qos: 1 }, meddle });
    expect(counters).toMatchObject({ received: sent, replayed: 0, duplicate: 20, unauthentic: 0 });
    expect(verdict.status).toBe('passed');
  });

  it.each([
    ['is empty', Buffer.alloc(0)],
    ['is too short for a nonce and a tag', Buffer.from('21.5 C')],
    ['is longer than any of this run', Buffer.alloc(93, 7)],
  ])('that %s is malformed', async (_what, payload) => {
    const { counters, verdict } = await attack({
      change: { payloadCipher },
      meddle: replacePayload(payload),
    });
    expect(counters).toMatchObject({ received: 40, malformed: 20, unauthentic: 0 });
    expect(verdict).toMatchObject({ status: 'failed', evidence: expect.stringContaining('20 malformed') });
  });

  it.each(
    payloadCiphers
      .filter(({ layout }) => layout.tagBytes > 0)
      .slice(-2)
      .map(({ id }) => id),
  )('under another key is unauthentic, all of them (%s)', async (id) => {
    const { counters, latency, verdict } = await attack({ change: { payloadCipher: id }, strangers: true });
    expect(counters).toMatchObject({ received: 0, unauthentic: sent, malformed: 0 });
    expect(latency).toBeNull();
    expect(verdict.status).toBe('failed');
  });
});

describe('a cipher without an authentication code', () => {
  it('accepts altered payloads, which is why its verdict never passes', async () => {
    // After the stamp: a block of plaintext that becomes noise, and a bit of the next one.
    const meddle = flipBit((_packet, payloadAt) => payloadAt + 50);
    const { counters, verdict } = await attack({ change: { payloadCipher: unauthenticated }, meddle });
    expect(counters).toMatchObject({ received: sent, unauthentic: 0, malformed: 0 });
    expect(verdict).toMatchObject({
      status: 'not applicable',
      evidence: expect.stringContaining('cannot detect'),
    });
  });

  it('does not attribute a deliberately altered stamp to another program', async () => {
    // The first block of plaintext, flipped through the initialisation vector, begins with the tag of the run.
    const meddle = flipBit((_packet, payloadAt) => payloadAt);
    const change = { payloadCipher: unauthenticated, alterEvery: 3 } as const;
    expect((await attack({ change, meddle })).degraded).toEqual([]);
    const unasked = await attack({ change: { payloadCipher: unauthenticated }, meddle });
    expect(unasked.degraded).toMatchObject([{ collector: 'messages' }]);
    expect(unasked.counters).toMatchObject({ received: 40 });
  });

  it('detects invalid padding at most', async () => {
    const meddle = replacePayload(Buffer.alloc(33));
    const { counters, verdict } = await attack({ change: { payloadCipher: unauthenticated }, meddle });
    expect(counters).toMatchObject({ received: 40, malformed: 20 });
    expect(verdict.status).toBe('failed');
  });
});
