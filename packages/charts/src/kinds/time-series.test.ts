import { describe, expect, it } from 'vitest';
import { drawFigure } from '../drawing/figure.ts';
import { printPalette } from '../drawing/palette.ts';
import type { SvgNode } from '../drawing/svg.ts';
import {
  decimate,
  decimateBand,
  decimateSeries,
  describeSeries,
  MAX_POINTS,
  peaksAbove,
  timeSeriesTable,
} from './time-series.ts';

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

describe('values above the axis', () => {
  const points = [1, 1, 9, 7, 1, 8].map((v, t) => ({ t, v: v / 4 }));
  const band = [1, 1, 9, 7, 1, 8].map((hi, t) => ({ t, lo: 0, hi }));

  it('are found as the highest value of each stretch', () => {
    expect(peaksAbove({ treatment, points: [], band }, 2)).toEqual([
      { t: 2, v: 9 },
      { t: 5, v: 8 },
    ]);
    expect(peaksAbove({ treatment, points }, 3)).toEqual([]);
  });

  it('are counted by marks and the highest is written; nothing is if all fit', () => {
    const textsOf = (top: number) => textsIn(drawn(top, [{ treatment, points, band }]));
    expect(textsOf(2)).toContain('highest 9.00 ms');
    expect(textsOf(10).join()).not.toContain('highest');
  });
});

it('writes labels beside the plot, where no line crosses them, in the order of their values', () => {
  const labels = [
    { text: 'P95 2', value: 2 },
    { text: 'P50 2 ms', value: 2, isStrong: true },
    { text: 'P5', value: null },
  ];
  const nodes = drawn(4, [{ treatment, points: [{ t: 0, v: 2 }] }], { endLabels: labels, rightPx: 80 });
  const written = labels.map(({ text }) => flatten(nodes).find(({ children }) => children[0] === text));
  expect(written.every((node) => Number(node?.attrs.x) > width - 80)).toBe(true);
  const [p95 = 0, p50 = 0] = written.map((node) => Number(node?.attrs.y));
  expect(p50 - p95).toBeGreaterThanOrEqual(14.9);
});

const width = 400;

function drawn(
  top: number,
  series: Parameters<typeof describeSeries>[1]['series'],
  more: Partial<Parameters<typeof describeSeries>[1]> = {},
): SvgNode[] {
  const data = { label: 'Latency', unit: 'ms', xRange: [0, 5], yRange: [0, top], series, ...more } as const;
  return [...drawFigure(describeSeries(printPalette, data), printPalette, { width }).nodes];
}

function flatten(nodes: SvgNode['children']): SvgNode[] {
  return nodes.flatMap((node) => (typeof node === 'string' ? [] : [node, ...flatten(node.children)]));
}

function textsIn(nodes: SvgNode[]): unknown[] {
  return flatten(nodes).flatMap(({ tag, children }) => (tag === 'text' ? children : []));
}
