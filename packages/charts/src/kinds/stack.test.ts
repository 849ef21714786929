import { describe, expect, it } from 'vitest';
import { figureLayers } from '../drawing/figure.ts';
import { printPalette } from '../drawing/palette.ts';
import { describeStacks, stackedAxis, stackedTable, totalOf } from './stack.ts';

const data = {
  parts: ['sent', 'received'],
  bars: [
    { name: 'CON', parts: [700, 1800] },
    { name: 'SUB', parts: [40, 30] },
  ],
};

describe('stacked bars', () => {
  it('add up', () => {
    expect(data.bars.map(totalOf)).toEqual([2500, 70]);
    expect(stackedTable(data, { head: 'State', unit: 'B' }).rows).toEqual([
      ['CON', 700, 1800, 2500],
      ['SUB', 40, 30, 70],
    ]);
  });

  it('fit their axis, which begins at zero', () => {
    const axis = stackedAxis(data);
    expect(axis.min).toBe(0);
    expect(axis.max).toBeGreaterThanOrEqual(2500);
  });
});

describe('describeStacks', () => {
  const bars = [
    { name: 'Plain', group: 'publisher', parts: [2, 4], interval: [5, 7] as const },
    { name: 'TLS', group: 'publisher', parts: [2, null] },
    { name: 'Plain', group: 'broker', parts: [null, null] },
  ];
  const figure = describeStacks(printPalette, {
    label: 'Set-up',
    unit: 'ms',
    data: { parts: ['TCP', 'TLS'], bars },
  });
  const { above } = figureLayers(figure, printPalette, { width: 600, height: figure.heightPx });
  const texts = above.filter(({ tag }) => tag === 'text').map(({ children }) => children.join(''));

  it('writes each group once, and sums; a bar without known parts is unknown', () => {
    expect(texts.filter((text) => text === 'publisher')).toHaveLength(1);
    expect(texts.filter((text) => text === 'broker')).toHaveLength(1);
    expect(texts).toContain('unknown');
    expect(texts.some((text) => /^6\sms$/.test(text))).toBe(true);
  });

  it('has a tooltip for each bar inside its row', () => {
    const { tips = [], y } = figure;
    expect(tips).toHaveLength(3);
    expect(tips.map((tip) => tip.y)).toEqual([...tips.map((tip) => tip.y)].sort((a, b) => a - b));
    for (const tip of tips) expect(tip.y).toBeLessThan(Math.max(y.min, y.max));
  });
});
