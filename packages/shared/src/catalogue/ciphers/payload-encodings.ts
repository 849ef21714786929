import type { PayloadEncodingName, TrialSpec } from '../../domain/plans/trial-spec.ts';
import { payloadBytesOf } from '../../domain/plans/trial-spec.ts';
import { expansionBytesOf } from './payload-cipher.ts';
import { findPayloadCipherDefinition } from './payload-ciphers.ts';

export interface PayloadEncodingDefinition {
  name: PayloadEncodingName;
  label: string;
  /** Where the form was published or specified. */
  source: string;
  /** Bytes in the message for so many bytes of payload; with a send time of 13 digits, as it has until 2286. */
  encodedBytes(bytes: number): number;
}

/** How the bytes of a payload, encrypted or not, are written into a message. The code is in packages/agent/src/crypto. */
export const payloadEncodingDefinitions: Readonly<Record<PayloadEncodingName, PayloadEncodingDefinition>> = {
  binary: {
    name: 'binary',
    label: 'Binary',
    source: 'MQTT 5 section 3.3.3: the payload is any bytes',
    encodedBytes: (bytes) => bytes,
  },
  'base64 in JSON': {
    name: 'base64 in JSON',
    label: 'Base64 in JSON',
    source: 'RFC 8259 (JSON) and RFC 4648 section 4 (base64), as in HECS4MQTT',
    encodedBytes: (bytes) => '{"t":1760000000000,"d":""}'.length + 4 * Math.ceil(bytes / 3),
  },
};

/** Bytes that the payload of one message has on the wire, encrypted and encoded. */
export function carriedBytesOf(
  spec: Pick<TrialSpec, 'readingBytes' | 'readingsPerMessage' | 'payloadCipher' | 'payloadEncoding'>,
): number {
  const plainBytes = payloadBytesOf(spec);
  const cipher = spec.payloadCipher === null ? undefined : findPayloadCipherDefinition(spec.payloadCipher);
  const sealedBytes = plainBytes + (cipher === undefined ? 0 : expansionBytesOf(cipher, plainBytes));
  return payloadEncodingDefinitions[spec.payloadEncoding].encodedBytes(sealedBytes);
}
