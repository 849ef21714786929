import type { ReportResponse } from '../domain/report.ts';
import { formatNumber } from '../format/number.ts';
import { curve, label, legend, line, marker } from './plot.ts';
import type { Picture, SvgNode } from './svg.ts';
import { type FigureContext, figureWidth } from './treatments.ts';

const height = 230;

/** Every treatment over several metrics, each from its smallest mean (below) to its largest. */
export function drawParallel(
  { palette, colours, find, report }: FigureContext,
  responses: readonly ReportResponse[],
): Picture {
  const keys = legend(palette, colours, { left: 0, top: 0, right: figureWidth });
  const top = keys.height + 44;
  const bottom = top + height;
  const [left, right] = [70, figureWidth - 70];
  const xOf = (index: number) => left + ((right - left) * index) / Math.max(1, responses.length - 1);
  const nodes: SvgNode[] = [...keys.nodes];
  const axes = responses.map((response, index) => {
    const means = response.estimates.flatMap(({ mean }) => mean ?? []);
    const [min, max] = [Math.min(...means), Math.max(...means)];
    const x = xOf(index);
    const staggered = index % 2 === 0 ? 30 : 16;
    nodes.push(
      line({ from: [x, top], to: [x, bottom], stroke: palette.axis }),
      label(`${response.label}, ${response.unit}`, {
        x,
        y: top - staggered,
        anchor: 'middle',
        fill: palette.text,
        weight: 600,
      }),
      label(formatNumber(max), { x: x + 7, y: top - 5, fill: palette.text3 }),
      label(formatNumber(min), { x: x + 7, y: bottom + 8, fill: palette.text3 }),
    );
    return (key: string): number | null => {
      const mean = response.estimates.find(({ treatment }) => treatment === key)?.mean ?? null;
      if (mean === null) return null;
      return max > min ? bottom - ((mean - min) / (max - min)) * height : (top + bottom) / 2;
    };
  });
  for (const { key } of report.treatments) {
    const { mark, label: name } = find(key);
    const points = axes.map((at, index): [number, number] | null => {
      const y = at(key);
      return y === null ? null : [xOf(index), y];
    });
    nodes.push(curve(palette, mark, points));
    for (const point of points) {
      if (point) nodes.push(marker(palette, mark, { x: point[0], y: point[1], size: 3, tip: name }));
    }
  }
  return { width: figureWidth, height: bottom + 20, label: 'Treatments over several metrics', nodes };
}
