import type { PayloadEncodingName } from '@mqttlab/shared/domain/plans/trial-spec';

/**
 * How the bytes of a payload, encrypted or not, are written into an MQTT message. Encoding comes after encryption.
 *
 * One file each, one line each in payload-encodings.ts; in words in the catalogue.
 */
export interface PayloadEncoding {
  name: PayloadEncodingName;
  /** Room that `encode` needs for `bytes`. */
  maxEncodedBytes(bytes: number): number;
  /**
   * Writes the message to the beginning of `out`, which must not overlap `bytes`, and returns how many bytes it wrote
   * or one of `encodingFailures`. `sentMs`: Unix time, whole ms.
   */
  encode(bytes: Uint8Array, sentMs: number, out: Uint8Array): number;
  /** The way back; `out` has room for `encoded.length`. Only the form that `encode` writes is accepted. Never throws. */
  decode(encoded: Uint8Array, out: Uint8Array): number;
}

/** Apart from `cipherFailures`, so that one counter can take both. */
export const encodingFailures = { outputTooSmall: -21, malformed: -22 } as const;
