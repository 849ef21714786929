import type { PayloadEncodingName } from '@mqttlab/shared/domain/plans/trial-spec';

/**
 * The way in which a payload's bytes, encrypted or not, are written into an MQTT message. Encoding follows
 * encryption.
 */
export interface PayloadEncoding {
  name: PayloadEncodingName;
  /** Returns the buffer size that `encode` needs for `bytes`. */
  maxEncodedBytes(bytes: number): number;
  /**
   * Writes the message to the beginning of `out`, which must not overlap `bytes`. Returns the number of bytes
   * written or one of `encodingFailures`. `sentMs` is Unix time in ms, an integer.
   */
  encode(bytes: Uint8Array, sentMs: number, out: Uint8Array): number;
  /**
   * Decodes a message; `out` must have room for `encoded.length`. Only the exact format of `encode` is
   * accepted. Never throws.
   */
  decode(encoded: Uint8Array, out: Uint8Array): number;
}

/** Disjoint from `cipherFailures`, so that one counter can count both. */
export const encodingFailures = { outputTooSmall: -21, malformed: -22 } as const;

/** Leaves the bytes unchanged. */
const binary: PayloadEncoding = {
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

const opening = Buffer.from('{"t":');
const middle = Buffer.from(',"d":"');
const closing = Buffer.from('"}');
/** Digits of 2^53. */
const maxTimeDigits = 16;
const quote = 0x22;
const padding = 0x3d;

/**
 * {"t":1760000000000,"d":"aGVsbG8="}: send time in ms and the bytes in base64, the factor 4/3 in HECS4MQTT.
 */
export const base64Json: PayloadEncoding = {
  name: 'base64 in JSON',
  maxEncodedBytes: (bytes) =>
    opening.length + maxTimeDigits + middle.length + 4 * Math.ceil(bytes / 3) + closing.length,
  encode(bytes, sentMs, out) {
    if (out.length < base64Json.maxEncodedBytes(bytes.length)) return encodingFailures.outputTooSmall;
    const into = asBuffer(out);
    into.set(opening);
    let at = opening.length + into.write(String(Math.trunc(sentMs)), opening.length, 'latin1');
    into.set(middle, at);
    at += middle.length;
    at += into.write(asBuffer(bytes).toString('base64'), at, 'latin1');
    into.set(closing, at);
    return at + closing.length;
  },
  decode(encoded, out) {
    const from = asBuffer(encoded);
    const textAt = findText(from);
    const textEnd = from.length - closing.length;
    if (textAt < 0 || textEnd < textAt || !hasAt(from, textEnd, closing)) return encodingFailures.malformed;
    const bytes = decodedBytes(from.subarray(textAt, textEnd));
    if (bytes < 0) return encodingFailures.malformed;
    if (out.length < bytes) return encodingFailures.outputTooSmall;
    // Node's decoder skips characters that are not base64, so the result has too few bytes.
    const text = from.toString('latin1', textAt, textEnd);
    return asBuffer(out).write(text, 'base64') === bytes ? bytes : encodingFailures.malformed;
  },
};

/** Returns the offset of the base64 text; -1 if the text before it has another format. */
function findText(from: Buffer): number {
  if (!hasAt(from, 0, opening)) return -1;
  let at = opening.length;
  const isDigit = (byte = 0) => byte >= 0x30 && byte <= 0x39;
  while (isDigit(from[at])) at += 1;
  const digits = at - opening.length;
  if (digits === 0 || digits > maxTimeDigits || (digits > 1 && from[opening.length] === 0x30)) return -1;
  return hasAt(from, at, middle) ? at + middle.length : -1;
}

/**
 * Returns the number of bytes in a base64 text; -1 if it is not a multiple of four characters or ends with a
 * quote.
 */
function decodedBytes(text: Buffer): number {
  if (text.length % 4 !== 0 || text.includes(quote)) return -1;
  let padded = 0;
  while (padded < 2 && text[text.length - 1 - padded] === padding) padded += 1;
  return (text.length / 4) * 3 - padded;
}

function hasAt(from: Buffer, at: number, part: Buffer): boolean {
  return from.length >= at + part.length && from.compare(part, 0, part.length, at, at + part.length) === 0;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Every payload encoding. */
export const payloadEncodings: Readonly<Record<PayloadEncodingName, PayloadEncoding>> = {
  binary,
  'base64 in JSON': base64Json,
};
