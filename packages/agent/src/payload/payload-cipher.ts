import {
  findPayloadCipherDefinition,
  type PayloadCipherDefinition,
  type PayloadCipherId,
} from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';

/** The code behind a payload cipher of the catalogue. One file each, one line each in payload-ciphers.ts. */
export interface PayloadCipher extends PayloadCipherDefinition {
  /**
   * Everything that a key costs once; what it resolves to makes one end of one connection. All ends work in turn, in
   * one thread. Rejects with KeySizeError.
   */
  prepare(key: Uint8Array): Promise<() => PayloadCipherEnd>;
}

/** What the catalogue says about it. Throws RangeError on an id that is not there. */
export function definitionOf(id: PayloadCipherId): PayloadCipherDefinition {
  const definition = findPayloadCipherDefinition(id);
  if (definition === undefined) throw new RangeError(`there is no payload cipher ${id}`);
  return definition;
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

export type CipherFailure = keyof typeof cipherFailures;

const names = new Map<number, CipherFailure>(
  Object.entries(cipherFailures).map(([name, code]) => [code, name as CipherFailure]),
);

/** The name of a negative result; null for a count of bytes. */
export function nameCipherFailure(result: number): CipherFailure | null {
  return names.get(result) ?? null;
}

export class KeySizeError extends Error {
  override readonly name = 'KeySizeError';

  constructor(cipher: Pick<PayloadCipherDefinition, 'id' | 'keyBytes'>, actualBytes: number) {
    super(`${cipher.id} takes ${cipher.keyBytes} bytes of key material, not ${actualBytes}`);
  }
}

/** Throws KeySizeError; every `prepare` begins with it. */
export function checkKeySize(
  cipher: Pick<PayloadCipherDefinition, 'id' | 'keyBytes'>,
  key: Uint8Array,
): void {
  if (key.length !== cipher.keyBytes) throw new KeySizeError(cipher, key.length);
}
