import { carriedBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { deliveriesOf, payloadBytesOf, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { loadFailure } from '../../base/load-failures.ts';
import { travelsAsIs } from '../../mqtt/packets.ts';
import type { MicrosecondClock } from '../../pacing/clock.ts';
import type { PayloadCipher, PayloadCipherEnd } from '../ciphers/payload-cipher.ts';
import { findPayloadCipher } from '../payload-ciphers.ts';
import { type PayloadEncoding, payloadEncodings } from '../payload-encodings.ts';
import { readPayloadKey } from '../payload-key.ts';

/** Faster load than this is timed in parts only, so that reading the clock stays below a hundredth of the work. */
const maxTimedPerSecond = 2_000;
const timedEvery = 8;

/** The cipher of a Run with its key. */
export interface LoadedPayloadCipher {
  definition: PayloadCipher;
  makeEnd: () => PayloadCipherEnd;
}

export interface PayloadPathOptions {
  command: PrepareClient;
  clock: MicrosecondClock;
  /** null without one. */
  payloadCipher: LoadedPayloadCipher | null;
}

/** null without a payload cipher. Rejects with Failure. */
export async function loadPayloadCipher({
  spec,
  payloadKey,
}: PrepareClient): Promise<LoadedPayloadCipher | null> {
  const id = spec.payloadCipher;
  if (id === null) return null;
  const definition = findPayloadCipher(id);
  if (definition === undefined) {
    throw loadFailure('payload-cipher', `This agent knows no payload cipher "${id}".`);
  }
  try {
    return { definition, makeEnd: await definition.prepare(readPayloadKey(definition, payloadKey)) };
  } catch (error) {
    throw loadFailure('payload-cipher', `The key of the payload cipher cannot be used: ${reasonOf(error)}.`);
  }
}

/** What becomes of a payload between the application and the packet, the same at both ends. */
export interface PayloadPath {
  /** null where only the encoding changes payloads. */
  cipher: LoadedPayloadCipher | null;
  encoding: PayloadEncoding;
  /** Authenticated with every payload. */
  topic: Uint8Array;
  plainBytes: number;
  /** Encrypted, not yet encoded. */
  sealedBytes: number;
  /** In the packet: encrypted and encoded. */
  carriedBytes: number;
  /** Of so many messages one is timed. */
  timedEvery: number;
}

/** null where payloads travel as they are. */
export function makePayloadPath(
  { spec, role }: Pick<PrepareClient, 'spec' | 'role'>,
  cipher: LoadedPayloadCipher | null,
): PayloadPath | null {
  if (travelsAsIs(spec)) return null;
  return {
    cipher,
    encoding: payloadEncodings[spec.payloadEncoding],
    topic: Buffer.from(spec.topic, 'utf8'),
    plainBytes: payloadBytesOf(spec),
    sealedBytes: carriedBytesOf({ ...spec, payloadEncoding: 'binary' }),
    carriedBytes: carriedBytesOf(spec),
    timedEvery: messagesPerSecond(spec, role) > maxTimedPerSecond ? timedEvery : 1,
  };
}

function messagesPerSecond(spec: TrialSpec, role: PrepareClient['role']): number {
  if (spec.readingsPerSecond === null) return Number.POSITIVE_INFINITY;
  const sent = (spec.publishers * spec.readingsPerSecond) / spec.readingsPerMessage;
  return role === 'publisher' ? sent : sent * deliveriesOf(spec);
}

/** How long a cipher takes for a message, µs in steps of 0.01, up to 10 s. */
export function makePayloadTimes(): LatencyHistogram {
  return new LatencyHistogram({ lowest: 0.01, highest: 1e7, significantDigits: 3 });
}
