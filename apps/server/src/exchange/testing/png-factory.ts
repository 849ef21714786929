import { crc32, deflateSync } from 'node:zlib';

export interface PngParts {
  width: number;
  height: number;
  /** 2: RGB, 3: palette, 6: RGBA. */
  colourType?: number;
  depth?: number;
  interlace?: number;
  /** Content of the IDAT chunk; by default, rows of the correct length. */
  data?: Buffer;
  /** Number of IDAT chunks. */
  split?: number;
  /** Chunks between header and pixel data. */
  extra?: Buffer;
}

/** Returns a PNG file, which is valid with the defaults. */
export function makePng(parts: PngParts): Buffer {
  const {
    width,
    height,
    colourType = 6,
    depth = 8,
    interlace = 0,
    split = 1,
    extra = Buffer.alloc(0),
  } = parts;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colourType, 0, 0, interlace], 8);
  const data = parts.data ?? deflateSync(makeRows(width * (colourType === 2 ? 3 : 4), height));
  const size = Math.ceil(data.length / split);
  const pixels = Array.from({ length: split }, (_, i) =>
    makeChunk('IDAT', data.subarray(i * size, (i + 1) * size)),
  );
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    makeChunk('IHDR', header),
    extra,
    ...pixels,
    makeChunk('IEND', Buffer.alloc(0)),
  ]);
}

function makeRows(bytes: number, height: number): Buffer {
  const row = Buffer.from([1, ...Array.from({ length: bytes }, (_, i) => i % 251)]);
  return Buffer.concat(Array.from({ length: height }, () => row));
}

export function makeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4);
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
