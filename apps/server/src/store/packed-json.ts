import { deflateSync, inflateSync } from 'node:zlib';

/** Largest document that is unpacked, bytes: what we wrote ourselves stays far below. */
const maximumBytes = 512 * 1024 * 1024;

/** Deflated JSON. */
export function packJson(value: unknown): Uint8Array {
  return deflateSync(JSON.stringify(value));
}

/** Inverse of packJson, parsed. Throws what the schema throws where the row is not of this form. */
export function unpackJson<T>(packed: Uint8Array, schema: { parse(input: unknown): T }): T {
  return schema.parse(JSON.parse(inflateSync(packed, { maxOutputLength: maximumBytes }).toString('utf8')));
}
