import type { PayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';

/** The code behind a payload cipher of the catalogue. */
export interface PayloadCipher extends PayloadCipherDefinition {
  /**
   * Everything that a key costs once; what it resolves to makes one end of one connection. All ends work in turn, in
   * one thread. Rejects with RangeError if the key has another size.
   */
  prepare(key: Uint8Array): Promise<() => PayloadCipherEnd>;
}

/**
 * One end of one connection; it may encrypt and decrypt. Nothing here throws because of a message: what is negative
 * is one of `cipherFailures`, and then `out` holds nothing to use. Unauthentic plaintext is never written there.
 */
export interface PayloadCipherEnd {
  /**
   * Writes the protected payload to the beginning of `out`, which must not overlap `plain` and has room for
   * `plain.length + expansionBytesOf(cipher, plain.length)`. Returns how many bytes it wrote.
   */
  encrypt(plain: Uint8Array, out: Uint8Array, topic: Uint8Array): number;
  /**
   * The way back, for a payload that came under `topic` (UTF-8 bytes as on the wire); `out` has room for
   * `sealed.length`. A payload that was accepted before is refused as replayed; so is a redelivery at QoS 1.
   */
  decrypt(sealed: Uint8Array, out: Uint8Array, topic: Uint8Array): number;
  /** Whether the last accepted payload had been overtaken; false for ciphers without sequence numbers. */
  readonly reordered: boolean;
}

/** Why a payload was not encrypted or not accepted. */
export const cipherFailures = {
  outputTooSmall: -1,
  plaintextTooLong: -2,
  nonceExhausted: -3,
  tooShort: -4,
  authentication: -5,
  replayed: -6,
  badPadding: -7,
  tooManySenders: -8,
} as const;

/** The name of a negative result; null for a count of bytes. */
export function nameCipherFailure(result: number): string | null {
  return Object.entries(cipherFailures).find(([, code]) => code === result)?.[0] ?? null;
}

/** Throws RangeError. */
export function checkKeySize(
  { id, keyBytes }: Pick<PayloadCipherDefinition, 'id' | 'keyBytes'>,
  key: Uint8Array,
): void {
  if (key.length !== keyBytes) {
    throw new RangeError(`${id} takes ${keyBytes} bytes of key material, not ${key.length}`);
  }
}
