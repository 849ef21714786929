import type { ReportPareto } from '../domain/report.ts';
import { formatNumber } from '../format/number.ts';
import { linearAxis } from './axis.ts';
import { colourOf } from './palette.ts';
import { placeLabels } from './place-labels.ts';
import { label, legend, makePanel, marker } from './plot.ts';
import { el, type Picture, type SvgNode } from './svg.ts';
import { type FigureContext, figureWidth } from './treatments.ts';

const height = 300;

/** Every run pale, every mean strong, a stair through the means that no other beats in both. */
export function drawPareto({ palette, colours, find }: FigureContext, pareto: ReportPareto): Picture {
  const keys = legend(palette, colours, { left: 56, top: 0, right: figureWidth });
  const top = keys.height + 22;
  const area = { left: 56, right: figureWidth - 8, top, bottom: top + height };
  const all = [...pareto.points, ...pareto.runs];
  const panel = makePanel({
    palette,
    area,
    x: linearAxis(all.map(({ x }) => x)),
    y: linearAxis(all.map(({ y }) => y)),
    xLabel: `${pareto.x.label}, ${pareto.x.unit}`,
    yLabel: `${pareto.y.label}, ${pareto.y.unit}`,
  });
  const front = pareto.points.filter(({ rank }) => rank === 1).sort((a, b) => a.x - b.x);
  const stair = front.map(({ x, y }, index) => {
    const before = front[index - 1];
    const at = `${panel.x(x)} ${panel.y(y)}`;
    return before ? `L${panel.x(x)} ${panel.y(before.y)}L${at}` : `M${at}`;
  });
  const nodes: SvgNode[] = [
    ...keys.nodes,
    ...panel.ground,
    el('path', { d: stair.join(''), fill: 'none', stroke: palette.accent, strokeWidth: 1.5 }),
    ...pareto.runs.map(({ treatment, runId, x, y }) =>
      el(
        'circle',
        {
          cx: panel.x(x),
          cy: panel.y(y),
          r: 2.2,
          fill: colourOf(palette, find(treatment).mark),
          fillOpacity: 0.35,
        },
        [el('title', {}, [`${find(treatment).label}, run ${runId}: ${formatNumber(x)}, ${formatNumber(y)}`])],
      ),
    ),
    ...pareto.points.map(({ treatment, x, y }) => {
      const { mark, shortLabel } = find(treatment);
      const tip = `${shortLabel}: ${formatNumber(x)}, ${formatNumber(y)}`;
      return marker(palette, mark, { x: panel.x(x), y: panel.y(y), size: 5, tip });
    }),
    ...placeLabels(
      pareto.points
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ treatment, x, y, rank }) => {
          const { rowLabel, shortLabel } = find(treatment);
          return { text: rowLabel || shortLabel, x: panel.x(x), y: panel.y(y), isStrong: rank === 1 };
        }),
      area,
    ).map(({ text, x, y, anchor, isStrong }) =>
      label(text, {
        ...{ x, y, anchor },
        fill: isStrong ? palette.text : palette.text3,
        weight: isStrong ? 600 : 400,
      }),
    ),
  ];
  return {
    width: figureWidth,
    height: area.bottom + 38,
    label: `${pareto.y.label} against ${pareto.x.label}`,
    nodes,
  };
}
