import { encodingFailures, type PayloadEncoding } from './payload-encoding.ts';

/** The bytes as they are. */
export const binary: PayloadEncoding = {
  name: 'binary',
  maxEncodedBytes: (bytes) => bytes,
  encode: (bytes, _sentMs, out) => copy(bytes, out),
  decode: copy,
};

function copy(bytes: Uint8Array, out: Uint8Array): number {
  if (out.length < bytes.length) return encodingFailures.outputTooSmall;
  out.set(bytes);
  return bytes.length;
}
