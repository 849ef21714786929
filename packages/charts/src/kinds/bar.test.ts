import { describe, expect, it } from 'vitest';
import { figureLayers } from '../drawing/figure.ts';
import { printPalette } from '../drawing/palette.ts';
import type { SvgNode } from '../drawing/svg.ts';
import { type BarGroup, barAxis, barRows, barTable, describeBars } from './bar.ts';

const treatment = { index: 2, label: 'TLS 1.2', shortLabel: 'TLS 1.2' };
const groups: BarGroup[] = [
  { title: 'Ethernet', bars: [{ treatment, value: 2, lo: 1.9, hi: 2.1 }] },
  { title: '', bars: [{ treatment, value: 7.9, lo: 7.6, hi: 8.2 }] },
];

describe('barRows', () => {
  it('puts a heading before the bars of a named group only', () => {
    expect(barRows(groups).map((row) => row.kind)).toEqual(['heading', 'bar', 'bar']);
  });
});

describe('barAxis', () => {
  it('starts at zero and holds the intervals', () => {
    expect(barAxis(groups)).toMatchObject({ min: 0, max: 9 });
  });

  it('reaches below zero for negative bars', () => {
    expect(barAxis([{ title: '', bars: [{ treatment, value: -3, lo: -4, hi: -2 }] }])).toMatchObject({
      min: -4,
      max: 0,
    });
  });
});

describe('barTable', () => {
  it('keeps raw numbers', () => {
    expect(barTable(groups, 'J').rows[0]).toEqual(['Ethernet', 'TLS 1.2', 2, 1.9, 2.1]);
  });
});

function textsOf(nodes: readonly (SvgNode | string)[]): { text: string; x: number }[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return [];
    const { tag, attrs, children } = node;
    return [
      ...(tag === 'text' ? [{ text: children.join(''), x: Number(attrs.x) }] : []),
      ...textsOf(children),
    ];
  });
}

it('writes names right of the zero line on a phone', () => {
  const name = 'TLS 1.3 · AES-256-GCM';
  const bar = { treatment: { index: 2, label: name, shortLabel: name }, value: 2, lo: 1, hi: 3 };
  const figure = describeBars(
    printPalette,
    { label: 'Latency', unit: 'ms', groups: [{ title: '', bars: [bar] }] },
    260,
  );
  const { above } = figureLayers(figure, printPalette, { width: 260, height: figure.heightPx });
  const written = textsOf(above).find(({ text }) => text === name);
  // The bars start at zero, which is the left edge of the plot.
  expect(written?.x).toBeGreaterThan(figure.margins.left + 8);
});
