import { describe, expect, it } from 'vitest';
import { printPalette } from '../drawing/palette.ts';
import { toSvgText } from '../drawing/svg.ts';
import { areBoxesLevel, type BoxDatum, boxAxis, boxChartTable, drawBoxRows, isFarFromZero } from './box.ts';

const box = (over: Partial<BoxDatum> = {}): BoxDatum => ({
  treatment: { index: 1, label: 'Plain text', shortLabel: 'Plain' },
  p5: 1,
  p25: 2,
  p50: 3,
  p75: 4,
  p95: 9,
  mean: 3.2,
  lo: 3,
  hi: 3.4,
  ...over,
});

describe('boxAxis', () => {
  it('starts at zero and holds whiskers and published values', () => {
    expect(boxAxis([{ title: '', boxes: [box()] }], { steps: 5 })).toMatchObject({ min: 0, max: 10 });
    expect(
      boxAxis([{ title: '', boxes: [box({ published: 41.5 })] }], { steps: 5 }).max,
    ).toBeGreaterThanOrEqual(41.5);
  });

  it('leaves a wide interval, which is only written, outside', () => {
    expect(boxAxis([{ title: '', boxes: [box({ lo: -50, hi: 140 })] }], { steps: 5 }).max).toBe(10);
  });

  it('on request leaves out the empty part below values that are far from zero', () => {
    const bytes = [{ title: '', boxes: [box({ p5: 280, p95: 330, mean: 300 })] }];
    expect(isFarFromZero(bytes)).toBe(true);
    expect(boxAxis(bytes, { steps: 5 }).min).toBe(0);
    const { min, max } = boxAxis(bytes, { steps: 5, zooms: true });
    expect(min).toBeGreaterThan(250);
    expect(max - min).toBeLessThan(2 * (330 - 280));
    const latencies = [{ title: '', boxes: [box()] }];
    expect(isFarFromZero(latencies)).toBe(false);
    expect(boxAxis(latencies, { steps: 5, zooms: true }).min).toBe(0);
  });

  it('ignores missing values', () => {
    expect(boxAxis([{ title: '', boxes: [box({ p95: Number.NaN })] }], { steps: 5 }).max).toBeGreaterThan(
      3.4,
    );
  });
});

describe('boxChartTable', () => {
  it('has a row per box, with a published column only where there is one', () => {
    const without = boxChartTable([{ title: 'Wi-Fi', boxes: [box(), box()] }], 'ms');
    expect(without.rows).toHaveLength(2);
    expect(without.columns.map((column) => column.head)).not.toContain('Published');
    const table = boxChartTable([{ title: 'Wi-Fi', boxes: [box({ published: 5 })] }], 'ms');
    expect(table.rows[0]).toEqual(['Wi-Fi', 'Plain text', 1, 2, 3, 4, 9, 3.2, 3, 3.4, 5]);
    expect(table.columns).toHaveLength(table.rows[0]!.length);
  });
});

describe('areBoxesLevel', () => {
  it('turns boxes into rows if there is too little room below each', () => {
    const panels = [{ title: '', boxes: [box(), box()] }];
    expect(areBoxesLevel({ panels }, 720)).toBe(false);
    expect(areBoxesLevel({ panels }, 100)).toBe(true);
    expect(areBoxesLevel({ panels, isLevel: true }, 720)).toBe(true);
  });
});

describe('drawBoxRows', () => {
  const latency = { messages: 1000, p5: 1, p25: 2, p50: 3, p75: 4, p95: 6, mean: 3.2 };
  const row = { label: 'Plain', mark: 1, box: latency };

  it('writes a slowest message that is beyond the axis', () => {
    const { picture } = drawBoxRows(printPalette, [{ ...row, extremes: { min: 0.5, max: 900 } }], 'Latency');
    expect(picture && toSvgText(picture)).toContain('>900<');
  });

  it('has a row for each configuration, and no picture without one', () => {
    expect(drawBoxRows(printPalette, [row], 'Latency').table.rows).toEqual([
      ['Plain', 1, 2, 3, 4, 6, 3.2, 1000],
    ]);
    expect(drawBoxRows(printPalette, [], 'Latency').picture).toBeNull();
  });
});
