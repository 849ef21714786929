// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import { deflateSync, inflateSync } from 'node:zlib';

const width = 8;

/**
 * A column of 64-bit floats as one block: the bytes of all values transposed (first bytes first, as in Parquet's
 * BYTE_STREAM_SPLIT), then deflated. Lossless, and similar neighbours compress well. null is stored as NaN, which is
 * not a JSON number.
 */
export function packColumn(values: readonly (number | null)[]): Uint8Array {
  const plain = new Uint8Array(Float64Array.from(values, (value) => value ?? Number.NaN).buffer);
  const split = new Uint8Array(plain.length);
  const rows = values.length;
  for (let i = 0; i < plain.length; i += 1) split[(i % width) * rows + Math.floor(i / width)] = plain[i]!;
  return deflateSync(split);
}

/** Inverse of packColumn. Throws RangeError if the block is truncated. */
export function unpackColumn(block: Uint8Array): (number | null)[] {
  const floats = unpackFloats(block);
  // Separate from the function below, because an array that may contain null boxes its numbers.
  return floats.some(Number.isNaN)
    ? Array.from(floats, (value) => (Number.isNaN(value) ? null : value))
    : numbers(floats);
}

/** Like unpackColumn, for columns that never contain null. */
export function unpackNumbers(block: Uint8Array): number[] {
  return numbers(unpackFloats(block));
}

function unpackFloats(block: Uint8Array): Float64Array {
  const split = inflateSync(block);
  if (split.length % width !== 0)
    throw new RangeError(`a column block of ${split.length} bytes is truncated`);
  const rows = split.length / width;
  const plain = new Uint8Array(split.length);
  for (let byte = 0; byte < width; byte += 1) {
    const from = byte * rows;
    for (let row = 0; row < rows; row += 1) plain[row * width + byte] = split[from + row]!;
  }
  return new Float64Array(plain.buffer);
}

/** Array.from uses an iterator, which takes several times as long. */
function numbers(floats: Float64Array): number[] {
  const all: number[] = [];
  for (let i = 0; i < floats.length; i += 1) all.push(floats[i]!);
  return all;
}
