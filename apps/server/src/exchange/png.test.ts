import { deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { reencodePng } from './png.ts';
import { makeChunk, makePng, type PngParts } from './testing/png-factory.ts';

/** Bytes of the pixel data of a file with one IDAT chunk. */
const pixelsOf = (png: Buffer): Buffer => {
  const at = png.indexOf('IDAT');
  return inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
};
describe('reencodePng', () => {
  it.each([
    ['RGBA', 6],
    ['RGB', 2],
  ])('keeps the pixels of %s and nothing else', async (_name, colourType) => {
    const secret = makeChunk('tEXt', Buffer.from('Author\0Anna'));
    const png = Buffer.concat([
      makePng({ width: 30, height: 20, colourType, extra: secret }),
      Buffer.from('<script>'),
    ]);
    const made = await reencodePng(png);
    expect(pixelsOf(made)).toEqual(pixelsOf(png));
    expect(made.subarray(0, 33)).toEqual(png.subarray(0, 33));
    expect(made.includes('Anna')).toBe(false);
    expect(made.includes('<script>')).toBe(false);
  });

  it('joins the pixel data of several chunks', async () => {
    const png = makePng({ width: 30, height: 20, split: 3 });
    expect(pixelsOf(await reencodePng(png))).toEqual(pixelsOf(makePng({ width: 30, height: 20 })));
  });

  it('accepts the largest allowed picture', async () => {
    const made = await reencodePng(makePng({ width: 2400, height: 1260 }));
    expect(pixelsOf(made)).toHaveLength((2400 * 4 + 1) * 1260);
  });

  const header = makePng({ width: 1, height: 1 }).subarray(0, 33);
  it.each<[string, PngParts | Buffer]>([
    ['60,000 x 60,000 pixels and junk', { width: 60_000, height: 60_000, data: Buffer.from('junk') }],
    ['2,401 pixels in a row', { width: 2401, height: 1 }],
    ['no pixels', { width: 0, height: 1 }],
    ['junk for pixel data', { width: 2, height: 2, data: Buffer.from('junk') }],
    ['too few pixels', { width: 2, height: 2, data: deflateSync(Buffer.alloc(17)) }],
    ['too many pixels', { width: 2, height: 2, data: deflateSync(Buffer.alloc(19)) }],
    [
      'pixels that expand to 500 MB',
      { width: 2, height: 2, data: deflateSync(Buffer.alloc(500_000_000), { level: 9 }) },
    ],
    ['an unknown filter', { width: 1, height: 1, data: deflateSync(Buffer.from([5, 0, 0, 0, 0])) }],
    ['a palette', { width: 2, height: 2, colourType: 3 }],
    ['16 bits per channel', { width: 2, height: 2, depth: 16 }],
    ['interlacing', { width: 2, height: 2, interlace: 1 }],
    ['a second header', { width: 2, height: 2, extra: header.subarray(8) }],
    ['no end', makePng({ width: 2, height: 2 }).subarray(0, -12)],
    ['a cut chunk', makePng({ width: 2, height: 2 }).subarray(0, -3)],
    ['a wrong checksum', Buffer.concat([makePng({ width: 2, height: 2 }).subarray(0, -1), Buffer.from([0])])],
    ['a header alone', header],
    ['a signature alone', header.subarray(0, 8)],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s', async (_what, parts) => {
    const png = Buffer.isBuffer(parts) ? parts : makePng(parts);
    await expect(reencodePng(png)).rejects.toMatchObject({
      problem: { status: 422, issues: [{ field: 'image' }] },
    });
  });
});
