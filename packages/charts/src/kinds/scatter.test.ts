import { expect, it } from 'vitest';
import { figureLayers } from '../drawing/figure.ts';
import { printPalette } from '../drawing/palette.ts';
import { describeScatter } from './scatter.ts';

it.each([false, true])(
  'joins the front by steps, as the figure of the report does (more is better: %s)',
  (isMoreBetter) => {
    const point = (x: number, y: number) => ({
      treatment: { index: 1, label: `${x}`, shortLabel: `${x}` },
      x: { value: x, lo: null, hi: null },
      y: { value: y, lo: null, hi: null },
      isFront: true,
    });
    const figure = describeScatter(printPalette, {
      label: 'Front',
      xName: 'CPU',
      yName: 'Latency',
      units: ['%', 'ms'],
      points: isMoreBetter ? [point(1, 1), point(2, 2)] : [point(1, 2), point(2, 1)],
      scales: ['linear', 'linear'],
      isMoreBetter,
    });
    const { above } = figureLayers(figure, printPalette, { width: 400, height: figure.heightPx });
    const front = above.find(
      ({ tag, attrs }) => tag === 'path' && attrs.fill === 'none' && attrs.strokeWidth === 2,
    );
    const corners = [...String(front?.attrs.d).matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [x, y]);
    expect(corners).toHaveLength(3);
    const [[x0, y0] = [], [x1, y1] = [], [x2, y2] = []] = corners;
    expect(isMoreBetter ? [x1, y1] : [x1, y1]).toEqual(isMoreBetter ? [x0, y2] : [x2, y0]);
  },
);
