import { describe, expect, it } from 'vitest';
import { decimate, decimateBand, decimateSeries, MAX_POINTS, timeSeriesTable } from './time-series.ts';

const treatment = { index: 4, label: 'ChaCha20-Poly1305', shortLabel: 'ChaCha20' };

describe('decimation', () => {
  it('limits lines and bands', () => {
    const points = Array.from({ length: 4000 }, (_, t) => ({ t, v: t % 7 }));
    expect(decimateSeries(points).length).toBeLessThanOrEqual(MAX_POINTS);
    const band = points.map(({ t, v }) => ({ t, lo: v - 1, hi: v + (t === 1234 ? 90 : 1) }));
    const kept = decimateBand(band);
    expect(kept.length).toBeLessThanOrEqual(MAX_POINTS);
    expect(Math.max(...kept.map((point) => point.hi))).toBe(Math.max(...band.map((point) => point.hi)));
  });
});

describe('timeSeriesTable', () => {
  it('joins band to line by time', () => {
    const table = timeSeriesTable({
      unit: 'ms',
      series: [
        {
          treatment,
          points: [
            { t: 0, v: 8 },
            { t: 1, v: 9 },
          ],
          band: [{ t: 1, lo: 5, hi: 17 }],
        },
      ],
    });
    expect(table.rows).toEqual([
      ['ChaCha20-Poly1305', 0, 8, null, null],
      ['ChaCha20-Poly1305', 1, 9, 5, 17],
    ]);
  });
});

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

  it('does not change short series', () => {
    const short = wave.slice(0, 20);
    expect(decimate(short, 300)).toBe(short);
  });
});
