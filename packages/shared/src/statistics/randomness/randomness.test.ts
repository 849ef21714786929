import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { makeRandom } from './random.ts';
import {
  approximateEntropy,
  bitsFromBytes,
  frequencyTest,
  parseBits,
  parseHexBits,
  runsTest,
} from './randomness.ts';

const bits = fc
  .array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 200 })
  .map((b) => Uint8Array.from(b));

describe('bits', () => {
  it('come out the same from bytes, hex and text, most significant first', () => {
    expect([...parseHexBits('a5')]).toEqual([1, 0, 1, 0, 0, 1, 0, 1]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
        expect(parseHexBits(hex)).toEqual(bitsFromBytes(bytes));
        expect(parseBits([...parseHexBits(hex)].join(''))).toEqual(bitsFromBytes(bytes));
      }),
    );
    expect(() => parseBits('012')).toThrow(RangeError);
    expect(() => parseHexBits('xyz')).toThrow(RangeError);
  });
});

describe('SP 800-22', () => {
  it('does not care which symbol is which, nor about rotation or direction', () => {
    fc.assert(
      fc.property(bits, fc.integer({ min: 0, max: 4 }), fc.nat(), (b, m, by) => {
        const flipped = b.map((bit) => 1 - bit);
        const { apEn, p } = approximateEntropy(b, m)!;
        const turn = by % b.length;
        const rotated = Uint8Array.from([...b.subarray(turn), ...b.subarray(0, turn)]);
        for (const other of [flipped, rotated, b.toReversed()]) {
          expect(approximateEntropy(other, m)!.apEn).toBeCloseTo(apEn, 12);
        }
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(frequencyTest(flipped)!.p).toBe(frequencyTest(b)!.p);
        expect(runsTest(b.toReversed())!.v).toBe(runsTest(b)!.v);
      }),
    );
  });

  it('passes a good generator about as often as it should', () => {
    const words = new Uint32Array(64);
    const random = makeRandom(2026);
    const failures = [0, 0, 0];
    for (let i = 0; i < 300; i += 1) {
      random.fill(words);
      const sequence = bitsFromBytes(new Uint8Array(words.buffer));
      const ps = [approximateEntropy(sequence, 3)!.p, frequencyTest(sequence)!.p, runsTest(sequence)!.p!];
      ps.forEach((p, test) => {
        if (p < 0.05) failures[test]! += 1;
      });
    }
    for (const count of failures) {
      expect(count).toBeGreaterThanOrEqual(3);
      expect(count).toBeLessThanOrEqual(30);
    }
  });

  it('says nothing about nothing', () => {
    const none = new Uint8Array();
    expect([approximateEntropy(none, 2), frequencyTest(none), runsTest(none)]).toEqual([null, null, null]);
    expect(runsTest(Uint8Array.of(1, 1, 1))).toMatchObject({ prerequisiteOk: true, p: null });
    for (const m of [-1, 1.5, 25, Number.NaN])
      expect(() => approximateEntropy(parseBits('01'), m)).toThrow(RangeError);
  });
});
