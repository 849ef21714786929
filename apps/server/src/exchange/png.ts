import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';
import { unprocessable } from '../base/errors.ts';

/** Maximum width; both limits are twice the dimensions that Open Graph recommends. */
const maxWidth = 2400;
const maxHeight = 1260;
/** Signature, and the IHDR chunk with length, type and checksum. */
const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const headerBytes = 13;
/** Bytes per pixel, by colour type. */
const pixelBytes: Readonly<Record<number, number>> = { 2: 3, 6: 4 };
const maxFilter = 4;

const [inflateAsync, deflateAsync] = [promisify(inflate), promisify(deflate)];

/**
 * Returns a PNG file that contains only the pixels of `png`: no metadata, no other chunks, no trailing data.
 * Dimensions are checked before pixels are decompressed, which happens off the main thread and up to the
 * announced size. Rejects with a 422 problem for anything except an 8-bit RGB or RGBA picture without
 * interlacing, the format of browser canvases.
 */
export async function reencodePng(png: Buffer): Promise<Buffer> {
  const { header, compressed } = readChunks(png);
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const [depth = 0, colourType = 0, ...methods] = header.subarray(8);
  const bytes = pixelBytes[colourType];
  if (depth !== 8 || bytes === undefined || methods.some((method) => method !== 0)) {
    throw refusal('it is not a PNG with 8-bit RGB or RGBA pixels and no interlacing');
  }
  if (width < 1 || height < 1 || width > maxWidth || height > maxHeight) {
    throw refusal(`it has ${width} x ${height} pixels`, `Send at most ${maxWidth} x ${maxHeight} pixels.`);
  }
  // Each row begins with its filter; any bytes after it are valid pixels.
  const rowBytes = 1 + width * bytes;
  const pixels = await inflateAsync(compressed, { maxOutputLength: rowBytes * height }).catch(() => null);
  if (pixels?.length !== rowBytes * height) throw refusal('its pixel data is damaged');
  for (let at = 0; at < pixels.length; at += rowBytes) {
    if ((pixels[at] ?? 0) > maxFilter) throw refusal('its pixel data is damaged');
  }
  return Buffer.concat([
    signature,
    makeChunk('IHDR', header),
    makeChunk('IDAT', await deflateAsync(pixels)),
    makeChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns the content of the IHDR chunk and of all IDAT chunks. */
function readChunks(png: Buffer): { header: Buffer; compressed: Buffer } {
  if (!png.subarray(0, signature.length).equals(signature)) throw refusal('it is not a PNG');
  let header: Buffer | null = null;
  const parts: Buffer[] = [];
  for (let at = signature.length; at + 12 <= png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    if (end + 4 > png.length) break;
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, end);
    if (crc32(png.subarray(at + 4, end)) !== png.readUInt32BE(end)) throw refusal('a checksum is wrong');
    if ((header === null) !== (type === 'IHDR')) throw refusal('its header is not in its first chunk');
    if (type === 'IHDR') header = data;
    else if (type === 'IDAT') parts.push(data);
    else if (type === 'IEND' && header?.length === headerBytes)
      return { header, compressed: Buffer.concat(parts) };
    at = end + 4;
  }
  throw refusal('it is incomplete');
}

function makeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4);
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

function refusal(reason: string, remedy = 'Send another picture, or omit it.') {
  return unprocessable('The picture is not valid.', [{ field: 'image', reason, remedy }]);
}
