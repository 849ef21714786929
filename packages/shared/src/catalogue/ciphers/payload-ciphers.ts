import { type PayloadEncodingName, payloadBytesOf } from '../../domain/plans/trial-levels.ts';
import type { TrialSpec } from '../../domain/plans/trial-spec.ts';
import {
  agreedKeyProtection,
  type Protection,
  protectionOf,
  sharedKeyProtection,
  shortTagProtection,
  unauthenticatedProtection,
} from './protection.ts';

/**
 * Implementations: node:crypto is native OpenSSL, which uses the CPU's instructions; @noble and mqttlab are
 * JavaScript; hash-wasm is WebAssembly.
 */
export const cipherImplementations = ['node:crypto', '@noble and hash-wasm', 'mqttlab'] as const;

/**
 * A cipher that protects payloads from publisher to subscriber, with or without TLS. The agent implements it under the
 * same id. The broker can still read the topic and the MQTT header.
 */
export interface PayloadCipherDefinition {
  /** Stored in results, so it must never change. */
  id: string;
  label: string;
  /** Length of the key material in bytes; a cipher with several keys uses their concatenation. */
  keyBytes: number;
  /** How both ends derive the key from their key pairs; null if they receive a shared secret. */
  keyAgreement: 'ecdh-p256' | null;
  /** Protection between publisher and subscriber. */
  protects: Protection;
  /** A missing property that readers might expect, as a sentence; null if no such property is missing. */
  caution: string | null;
  /** Standards, with section. */
  source: string;
  /** The implementing library. Comparing speeds across libraries compares the code more than the ciphers. */
  implementation: (typeof cipherImplementations)[number];
  /** How nonces are generated, and how many messages one key can protect. */
  nonceRule: string;
  /** Nonce, ciphertext, tag, in this order. */
  layout: {
    nonceBytes: number;
    tagBytes: number;
    /**
     * Block size to which the ciphertext is padded (PKCS #7); null if the ciphertext is as long as the
     * plaintext.
     */
    paddedTo: number | null;
  };
}

/** Returns the number of bytes that encryption adds to a payload of `plainBytes`. */
export function expansionBytesOf(
  { layout }: Pick<PayloadCipherDefinition, 'layout'>,
  plainBytes: number,
): number {
  const { nonceBytes, tagBytes, paddedTo } = layout;
  return nonceBytes + tagBytes + (paddedTo === null ? 0 : paddedTo - (plainBytes % paddedTo));
}

/** A random prefix of 8 bytes and a sequence number of 4 bytes. */
const framedNonceBytes = 12;

const shared = {
  keyAgreement: null,
  protects: sharedKeyProtection,
  caution: null,
  nonceRule:
    'Nonce of 96 bits: 64 random bits per connection, then a 32-bit sequence number from 0; after 2^32 messages ' +
    'encryption fails. Two of n connections with one key share a prefix with probability below n^2 / 2^65: within the ' +
    '2^-32 of NIST SP 800-38D section 8 up to 92,000 connections. Every run has a separate key.',
  layout: { nonceBytes: framedNonceBytes, tagBytes: 16, paddedTo: null },
} as const;

const native = { ...shared, implementation: 'node:crypto' } as const;
const hmacSha256 = 'RFC 4868 (HMAC-SHA-256 truncated to 16 bytes), encrypt-then-MAC';
const gcm = { ...native, source: 'NIST SP 800-38D' } as const;
const ccm8 = {
  ...native,
  protects: shortTagProtection,
  caution: 'Its tag has only 8 bytes.',
  source: 'NIST SP 800-38C, tag of 8 bytes as in RFC 6655',
  layout: { ...shared.layout, tagBytes: 8 },
} as const;
const eax = { ...native, source: 'Bellare, Rogaway, Wagner: The EAX mode of operation (FSE 2004)' } as const;
const counterSource = `NIST SP 800-38A and RFC 3686 (CTR), ${hmacSha256}`;
const simonAndSpeck = {
  ...shared,
  keyBytes: 48,
  implementation: 'mqttlab',
  source:
    'Beaulieu et al.: The SIMON and SPECK families of lightweight block ciphers (2013); NIST SP 800-38A (CTR), ' +
    hmacSha256,
} as const;
const ecdh = { ...native, keyAgreement: 'ecdh-p256', protects: agreedKeyProtection, keyBytes: 16 } as const;
const ecdhSource = 'NIST SP 800-56A rev. 3, RFC 5869';
const uncertified = 'The public keys are not certified, so a man in the middle can substitute other keys';

/**
 * All payload ciphers, in the order shown in the wizard. Each is implemented in a file in
 * packages/agent/src/payload/ciphers.
 */
export const payloadCipherDefinitions = [
  { ...gcm, id: 'aes-128-gcm', label: 'AES-128-GCM', keyBytes: 16 },
  { ...gcm, id: 'aes-256-gcm', label: 'AES-256-GCM', keyBytes: 32 },
  { ...native, id: 'chacha20-poly1305', label: 'ChaCha20-Poly1305', keyBytes: 32, source: 'RFC 8439' },
  { ...ccm8, id: 'aes-128-ccm-8', label: 'AES-128-CCM-8', keyBytes: 16 },
  { ...ccm8, id: 'aes-256-ccm-8', label: 'AES-256-CCM-8', keyBytes: 32 },
  { ...eax, id: 'aes-128-eax', label: 'AES-128-EAX', keyBytes: 16 },
  { ...eax, id: 'aes-256-eax', label: 'AES-256-EAX', keyBytes: 32 },
  {
    ...native,
    id: 'aes-128-ctr-hmac-sha256',
    label: 'AES-128-CTR + HMAC-SHA-256',
    keyBytes: 48,
    source: counterSource,
  },
  {
    ...native,
    id: 'aes-256-ctr-hmac-sha256',
    label: 'AES-256-CTR + HMAC-SHA-256',
    keyBytes: 64,
    source: counterSource,
  },
  {
    ...shared,
    id: 'salsa20-blake2b',
    label: 'Salsa20 + keyed BLAKE2b',
    keyBytes: 64,
    implementation: '@noble and hash-wasm',
    source:
      'Bernstein: The Salsa20 family of stream ciphers (2007), Extending the Salsa20 nonce (2011); RFC 7693 (keyed ' +
      'BLAKE2b, 16 bytes), encrypt-then-MAC',
  },
  {
    ...shared,
    id: 'ascon-aead128',
    label: 'Ascon-AEAD128',
    keyBytes: 16,
    implementation: 'mqttlab',
    source: `NIST SP 800-232 section 4 (final, August 2025); nonce of ${framedNonceBytes} bytes and 4 zeros`,
  },
  { ...simonAndSpeck, id: 'simon-128-128-ctr-hmac-sha256', label: 'SIMON-128/128-CTR + HMAC-SHA-256' },
  { ...simonAndSpeck, id: 'speck-128-128-ctr-hmac-sha256', label: 'SPECK-128/128-CTR + HMAC-SHA-256' },
  {
    ...simonAndSpeck,
    id: 'simon-128-256-ctr-hmac-sha256',
    label: 'SIMON-128/256-CTR + HMAC-SHA-256',
    keyBytes: 64,
  },
  {
    ...simonAndSpeck,
    id: 'speck-128-256-ctr-hmac-sha256',
    label: 'SPECK-128/256-CTR + HMAC-SHA-256',
    keyBytes: 64,
  },
  {
    ...ecdh,
    id: 'ecdh-p256-aes-128-cbc-as-published',
    label: 'ECDH P-256 + AES-128-CBC (as published, no MAC)',
    protects: unauthenticatedProtection,
    caution:
      'No message authentication code: a man in the middle can flip chosen bits of the plaintext, truncate or replay ' +
      'messages or move them to another topic without detection. Responses to invalid padding may reveal the plaintext. ' +
      `${uncertified}.`,
    source: `${ecdhSource}; NIST SP 800-38A (CBC), RFC 5652 section 6.3 (padding)`,
    nonceRule:
      'A random 128-bit IV for every message, because CBC needs unpredictable IVs (NIST SP 800-38A appendix C). ' +
      'Two of n messages share an IV with probability below n^2 / 2^129.',
    layout: { nonceBytes: 16, tagBytes: 0, paddedTo: 16 },
  },
  {
    ...ecdh,
    id: 'ecdh-p256-aes-128-gcm',
    label: 'ECDH P-256 + AES-128-GCM',
    caution: `${uncertified}.`,
    source: `${ecdhSource}; NIST SP 800-38D`,
  },
] as const satisfies readonly PayloadCipherDefinition[];

export type PayloadCipherId = (typeof payloadCipherDefinitions)[number]['id'];

const byId = new Map<string, PayloadCipherDefinition>(
  payloadCipherDefinitions.map((cipher) => [cipher.id, cipher]),
);

/** Returns undefined for an id that is not in the catalogue. */
export function findPayloadCipherDefinition(id: string): PayloadCipherDefinition | undefined {
  return byId.get(id);
}

export interface PayloadEncodingDefinition {
  name: PayloadEncodingName;
  label: string;
  /** Publication or specification of the format. */
  source: string;
  /**
   * Returns the encoded size of a payload of `bytes`, with a send time of 13 digits (valid until the year
   * 2286).
   */
  encodedBytes(bytes: number): number;
}

/** How the bytes of a payload, encrypted or not, are encoded in a message. Implemented in packages/agent/src/payload. */
export const payloadEncodingDefinitions: Readonly<Record<PayloadEncodingName, PayloadEncodingDefinition>> = {
  binary: {
    name: 'binary',
    label: 'Binary',
    source: 'MQTT 5 section 3.3.3: the payload can be any bytes',
    encodedBytes: (bytes) => bytes,
  },
  'base64 in JSON': {
    name: 'base64 in JSON',
    label: 'Base64 in JSON',
    source: 'RFC 8259 (JSON) and RFC 4648 section 4 (base64), as in HECS4MQTT',
    encodedBytes: (bytes) => '{"t":1760000000000,"d":""}'.length + 4 * Math.ceil(bytes / 3),
  },
};

/** Returns the size of one encrypted and encoded payload. */
export function carriedBytesOf(
  spec: Pick<TrialSpec, 'readingBytes' | 'readingsPerMessage' | 'payloadCipher' | 'payloadEncoding'>,
): number {
  const plainBytes = payloadBytesOf(spec);
  const cipher = spec.payloadCipher === null ? undefined : findPayloadCipherDefinition(spec.payloadCipher);
  const sealedBytes = plainBytes + (cipher === undefined ? 0 : expansionBytesOf(cipher, plainBytes));
  return payloadEncodingDefinitions[spec.payloadEncoding].encodedBytes(sealedBytes);
}

/** True if the payload cipher has no tag, so that receivers cannot detect altered payloads. */
export function lacksTag({ payloadCipher }: Pick<TrialSpec, 'payloadCipher'>): boolean {
  return payloadCipher !== null && findPayloadCipherDefinition(payloadCipher)?.layout.tagBytes === 0;
}

/** Protection of a configuration, hop by hop and end to end; the two cannot be combined into one value. */
export interface Protections {
  /** Protection between each client and the broker by TLS. The broker itself can read everything. */
  hop: Protection;
  /**
   * Protection from publisher to subscriber by the payload cipher, which covers payloads but not topics. null
   * without a payload cipher.
   */
  endToEnd: Protection | null;
  /** Caution about the payload cipher, see `PayloadCipherDefinition`. */
  caution: string | null;
}

export function protectionsOf(
  spec: Parameters<typeof protectionOf>[0] & Pick<TrialSpec, 'payloadCipher'>,
): Protections {
  const cipher = spec.payloadCipher === null ? undefined : findPayloadCipherDefinition(spec.payloadCipher);
  return { hop: protectionOf(spec), endToEnd: cipher?.protects ?? null, caution: cipher?.caution ?? null };
}
