import type { Protection } from './protection.ts';

/** OpenSSL in native code, with the instructions of the CPU; the others in JavaScript, hash-wasm in WebAssembly. */
export const cipherImplementations = ['node:crypto', '@noble and hash-wasm', 'mqttlab'] as const;

/**
 * A way to protect the payload between publisher and subscriber, through the broker, under TLS or without it. The
 * agent has the code, under the same id. Topic and MQTT header stay readable for the broker.
 */
export interface PayloadCipherDefinition {
  /** Stored in results: never renamed. */
  id: string;
  label: string;
  /** Secret bytes that it takes, of a cipher with several keys all of them in a row. */
  keyBytes: number;
  /** null where both ends are given the same secret; otherwise how they derive it from their key pairs. */
  keyAgreement: 'ecdh-p256' | null;
  /** Between publisher and subscriber. */
  protects: Protection;
  /** What it lacks although a reader might take it for granted, as a sentence; null where it is sound. */
  caution: string | null;
  /** The standards it follows, with section. */
  source: string;
  /** Whose code does the work. Speeds of ciphers with different ones compare the code more than the ciphers. */
  implementation: (typeof cipherImplementations)[number];
  /** How a nonce comes about, and how many messages one key may protect. */
  nonceRule: string;
  /** Nonce, ciphertext, tag, in this order. */
  layout: {
    nonceBytes: number;
    tagBytes: number;
    /** Ciphertext is a multiple of it and always padded (PKCS #7); null where it is as long as the plaintext. */
    paddedTo: number | null;
  };
}

/** Bytes that protecting adds to a payload of `plainBytes`. */
export function expansionBytesOf(
  { layout }: Pick<PayloadCipherDefinition, 'layout'>,
  plainBytes: number,
): number {
  const { nonceBytes, tagBytes, paddedTo } = layout;
  return nonceBytes + tagBytes + (paddedTo === null ? 0 : paddedTo - (plainBytes % paddedTo));
}
