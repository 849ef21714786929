import { createPrivateKey, createPublicKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';
import { carriedBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { deliveriesOf, payloadBytesOf } from '@mqttlab/shared/domain/plans/trial-levels';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type { PayloadKey, PrepareClient } from '@mqttlab/shared/messages/agent';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import type { MicrosecondClock } from '../../load/pacing/clock.ts';
import { travelsAsIs } from '../../mqtt/packets.ts';
import { loadFailure } from '../../processes/failures.ts';
import { checkKeySize, type PayloadCipher, type PayloadCipherEnd } from '../ciphers/payload-cipher.ts';
import { findPayloadCipher } from '../payload-ciphers.ts';
import { type PayloadEncoding, payloadEncodings } from '../payload-encodings.ts';

/** A faster load is timed only in part, so that reading the clock takes less than 1 % of the work. */
const maxTimedPerSecond = 2_000;
const timedEvery = 8;

/** The cipher used in a run, with its key. */
export interface LoadedPayloadCipher {
  definition: PayloadCipher;
  makeEnd: () => PayloadCipherEnd;
}

export interface PayloadPathOptions {
  command: PrepareClient;
  clock: MicrosecondClock;
  /** null if payloads are not encrypted. */
  payloadCipher: LoadedPayloadCipher | null;
}

/** Loads the payload cipher; resolves with null if there is none. Rejects with Failure. */
export async function loadPayloadCipher({
  spec,
  payloadKey,
}: PrepareClient): Promise<LoadedPayloadCipher | null> {
  const id = spec.payloadCipher;
  if (id === null) return null;
  const definition = findPayloadCipher(id);
  if (definition === undefined) {
    throw loadFailure('payload-cipher', `This agent does not support the payload cipher "${id}".`);
  }
  try {
    return { definition, makeEnd: await definition.prepare(readPayloadKey(definition, payloadKey)) };
  } catch (error) {
    throw loadFailure('payload-cipher', `The key of the payload cipher is not usable: ${reasonOf(error)}.`);
  }
}

/** Processing of a payload between the application and the packet, the same at both ends. */
export interface PayloadPath {
  /** null if only the encoding changes payloads. */
  cipher: LoadedPayloadCipher | null;
  encoding: PayloadEncoding;
  /** Topic, which is authenticated with every payload. */
  topic: Uint8Array;
  plainBytes: number;
  /** Size after encryption, before encoding. */
  sealedBytes: number;
  /** Size in the packet, after encryption and encoding. */
  carriedBytes: number;
  /** One message out of this number is timed. */
  timedEvery: number;
}

/** Returns null if payloads are neither encrypted nor encoded. */
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

/** Makes a histogram of the time that a cipher needs per message, in steps of 0.01 µs, up to 10 s. */
export function makePayloadTimes(): LatencyHistogram {
  return new LatencyHistogram({ lowest: 0.01, highest: 1e7, significantDigits: 3 });
}

const curve = 'prime256v1';

/**
 * Derives `bytes` of key material, the same at both ends for the same cipher, and different for different
 * ciphers. Uses ECDH on P-256, which is secp256r1 (NIST SP 800-56A section 5.7.1.2), then HKDF-SHA-256 (RFC
 * 5869) without salt. Keys are in PEM (PKCS #8 and SubjectPublicKeyInfo). The public keys are not certified,
 * so their owners must be verified elsewhere. Throws an Error if a key is not PEM or not on P-256.
 */
export function agreeOnKey(
  { ownPrivateKey, peerPublicKey }: { ownPrivateKey: string; peerPublicKey: string },
  { cipherId, bytes }: { cipherId: string; bytes: number },
): Uint8Array {
  const privateKey = readKey('private key', () => createPrivateKey(ownPrivateKey));
  const publicKey = readKey('public key', () => createPublicKey(peerPublicKey));
  const secret = diffieHellman({ privateKey, publicKey });
  return new Uint8Array(hkdfSync('sha256', secret, Buffer.alloc(0), `mqttlab ${cipherId}`, bytes));
}

function readKey(what: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    throw new Error(`the ${what} is not readable: ${reasonOf(error)}`);
  }
  const found = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? 'unknown';
  if (found !== curve) throw new Error(`the ${what} uses ${found}, not P-256`);
  return key;
}

/** Returns the argument of `cipher.prepare`. Throws if the key does not fit the cipher; no error includes the key. */
export function readPayloadKey(cipher: PayloadCipher, key: PayloadKey | null): Uint8Array {
  const { id, keyBytes, keyAgreement } = cipher;
  const wanted = keyAgreement === null ? 'secret' : 'agreement';
  if (key?.kind === 'secret' && keyAgreement === null) {
    const secret = Buffer.from(key.secret, 'base64');
    checkKeySize(cipher, secret);
    return secret;
  }
  if (key?.kind === 'agreement' && keyAgreement !== null) {
    return agreeOnKey(key, { cipherId: id, bytes: keyBytes });
  }
  throw new TypeError(`${id} needs a key of the kind "${wanted}", not ${key ? `"${key.kind}"` : 'none'}`);
}
