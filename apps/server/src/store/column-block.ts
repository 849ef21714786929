import { deflateSync, inflateSync } from 'node:zlib';

const width = 8;

/**
 * A column of 64-bit floats as one block: the bytes of all values transposed (first bytes first, as in Parquet's
 * BYTE_STREAM_SPLIT), then deflated; lossless, and neighbours that are alike shrink well. null is stored as NaN,
 * which no JSON number can be.
 */
export function packColumn(values: readonly (number | null)[]): Uint8Array {
  const plain = new Uint8Array(Float64Array.from(values, (value) => value ?? Number.NaN).buffer);
  const split = new Uint8Array(plain.length);
  const rows = values.length;
  for (let i = 0; i < plain.length; i += 1) split[(i % width) * rows + Math.floor(i / width)] = plain[i]!;
  return deflateSync(split);
}

/** Inverse of packColumn. Throws RangeError where the block is cut. */
export function unpackColumn(block: Uint8Array): (number | null)[] {
  const split = inflateSync(block);
  if (split.length % width !== 0) throw new RangeError(`a column block of ${split.length} bytes is cut`);
  const rows = split.length / width;
  const plain = new Uint8Array(split.length);
  for (let byte = 0; byte < width; byte += 1) {
    const from = byte * rows;
    for (let row = 0; row < rows; row += 1) plain[row * width + byte] = split[from + row]!;
  }
  const numbers = new Float64Array(plain.buffer);
  const values = new Array<number | null>(rows);
  for (let row = 0; row < rows; row += 1) {
    const value = numbers[row]!;
    values[row] = Number.isNaN(value) ? null : value;
  }
  return values;
}

/** As unpackColumn, for columns that never hold null. */
export function unpackNumbers(block: Uint8Array): number[] {
  return unpackColumn(block).map((value) => value ?? Number.NaN);
}
