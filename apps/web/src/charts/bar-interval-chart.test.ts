import { figureLayers } from '@mqttlab/charts/drawing/figure';
import { printPalette } from '@mqttlab/charts/drawing/palette';
import type { SvgNode } from '@mqttlab/charts/drawing/svg';
import { expect, it } from 'vitest';
import { describeBars } from './bar-interval-chart.tsx';
import { printTheme as theme } from './canvas/testing/print-theme.ts';

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
  const figure = describeBars(theme, {
    label: 'Latency',
    unit: 'ms',
    groups: [{ title: '', bars: [bar] }],
    width: 260,
  });
  const { above } = figureLayers(figure, printPalette, { width: 260, height: figure.heightPx });
  const written = textsOf(above).find(({ text }) => text === name);
  // The bars start at zero, which is the left edge of the plot.
  expect(written?.x).toBeGreaterThan(figure.margins.left + 8);
});
