import type { Protection } from '@mqttlab/shared/catalogue/protection';

/**
 * A way to protect the payload between publisher and subscriber, through the broker, under TLS or without it.
 * One file each, one line each in payload-ciphers.ts. Topic and MQTT header stay readable for the broker.
 */
export interface PayloadCipher {
  /** Stored in results: never renamed. */
  id: string;
  label: string;
  /** Secret bytes that `make` takes, of a cipher with several keys all of them in a row. */
  keyBytes: number;
  /** null where both ends are given the same secret; otherwise how they derive it from their key pairs. */
  keyAgreement: KeyAgreement | null;
  /** Between publisher and subscriber. */
  protects: Protection;
  /** The standards it follows, with section. */
  source: string;
  /** Whose code does the work. Speeds of ciphers with different ones compare the code more than the ciphers. */
  implementation: CipherImplementation;
  /** How a nonce comes about, and how many messages one `make` may protect. */
  nonceRule: string;
  /** Bytes that protecting adds to a payload of `plainBytes`. */
  expansionBytes(plainBytes: number): number;
  /** One end of one connection. Throws KeySizeError. */
  make(key: Uint8Array): PayloadCipherEnd;
}

/** OpenSSL in native code, with the instructions of the CPU; the other two in JavaScript. */
export const cipherImplementations = ['node:crypto', '@noble', 'mqttlab'] as const;
type CipherImplementation = (typeof cipherImplementations)[number];

/**
 * One end of one connection; it may encrypt and decrypt. Nothing here throws because of a message: what is negative
 * is one of `cipherFailures`, and then `out` holds nothing to use. Unauthentic plaintext is never written there.
 */
export interface PayloadCipherEnd {
  /**
   * Writes the protected payload to the beginning of `out`, which must not overlap `plain` and has room for
   * `plain.length + expansionBytes(plain.length)`. Returns how many bytes it wrote.
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

export interface KeyAgreement {
  label: string;
  source: string;
  /** Both in PEM: PKCS #8 and SubjectPublicKeyInfo. */
  makeKeyPair(): { privateKey: string; publicKey: string };
  /** `bytes` of key material, the same at both ends for the same `purpose`. Throws KeyAgreementError. */
  agree(keys: { ownPrivateKey: string; peerPublicKey: string }, purpose: KeyPurpose): Uint8Array;
}

interface KeyPurpose {
  /** Id of the cipher: keys of two ciphers are never the same. */
  cipherId: string;
  bytes: number;
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

  constructor(cipher: Pick<PayloadCipher, 'id' | 'keyBytes'>, actualBytes: number) {
    super(`${cipher.id} takes ${cipher.keyBytes} bytes of key material, not ${actualBytes}`);
  }
}

/** Throws KeySizeError; every `make` begins with it. */
export function checkKeySize(cipher: Pick<PayloadCipher, 'id' | 'keyBytes'>, key: Uint8Array): void {
  if (key.length !== cipher.keyBytes) throw new KeySizeError(cipher, key.length);
}
