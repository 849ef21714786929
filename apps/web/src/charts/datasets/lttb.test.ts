import { describe, expect, it } from 'vitest';
import { decimate } from './lttb.ts';

const wave = Array.from({ length: 5000 }, (_, i) => ({ t: i / 10, v: Math.sin(i / 200) }));

describe('decimate', () => {
  it('keeps the ends, the order and the limit', () => {
    const few = decimate(wave, 300);
    expect(few).toHaveLength(300);
    expect(few[0]).toBe(wave[0]);
    expect(few.at(-1)).toBe(wave.at(-1));
    expect(few.every((point, i) => i === 0 || point.t > few[i - 1]!.t)).toBe(true);
  });

  it('keeps a single spike', () => {
    const spiked = wave.map((point, i) => (i === 2345 ? { ...point, v: 50 } : point));
    expect(decimate(spiked, 100).some((point) => point.v === 50)).toBe(true);
  });

  it('leaves short series alone', () => {
    const short = wave.slice(0, 20);
    expect(decimate(short, 300)).toBe(short);
  });
});
