import { titleOf } from '../analysis/phrase.ts';
import { findMetric } from '../catalogue/metrics.ts';
import type { ReportPareto } from '../domain/report/report.ts';
import { formatNumber } from '../format/number.ts';
import { linearAxis } from './drawing/axis.ts';
import { colourOf } from './drawing/palette.ts';
import { placeLabels } from './drawing/place-labels.ts';
import { label, legend, line, makePanel, marker, type Panel } from './drawing/plot.ts';
import { el, type Picture, type SvgNode } from './drawing/svg.ts';
import { type FigureContext, figureWidth } from './drawing/treatments.ts';

const height = 300;
/** Intervals this faint leave the means in front. */
const crossOpacity = 0.32;

/** Every run pale, every mean strong, a stair through the means that no other beats in both. */
export function drawPareto(context: FigureContext, pareto: ReportPareto): Picture {
  const { palette, colours, find } = context;
  const keys = legend(palette, colours, { left: 56, top: 0, right: figureWidth });
  const top = keys.height + 22;
  const area = { left: 56, right: figureWidth - 8, top, bottom: top + height };
  const all = [...pareto.points, ...pareto.runs];
  const panel = makePanel({
    palette,
    area,
    x: linearAxis(all.map(({ x }) => x)),
    y: linearAxis(all.map(({ y }) => y)),
    xLabel: `${titleOf(pareto.x)}, ${pareto.x.unit}`,
    yLabel: `${titleOf(pareto.y)}, ${pareto.y.unit}`,
  });
  const front = pareto.points.filter(({ rank }) => rank === 1).sort((a, b) => a.x - b.x);
  // Between two treatments of the front lies what is no better than the worse of both in each.
  const isMoreBetter = findMetric(pareto.x.metric)?.better === 'higher';
  const stair = front.map(({ x, y }, index) => {
    const before = front[index - 1];
    const at = `${panel.x(x)} ${panel.y(y)}`;
    if (!before) return `M${at}`;
    const corner = isMoreBetter ? `${panel.x(before.x)} ${panel.y(y)}` : `${panel.x(x)} ${panel.y(before.y)}`;
    return `L${corner}L${at}`;
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
    ...pareto.points.flatMap(({ treatment, x, y }) => cross(context, panel, { pareto, treatment, x, y })),
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
        x,
        y,
        anchor,
        fill: isStrong ? palette.text : palette.text3,
        weight: isStrong ? 600 : 400,
        halo: palette.surface,
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

/** 95 % intervals of a mean in both directions, where there are any, cut at the edges of the panel. */
function cross(
  { palette, find, report }: FigureContext,
  { area, x: xOf, y: yOf }: Panel,
  { pareto, treatment, x, y }: { pareto: ReportPareto; treatment: string; x: number; y: number },
): SvgNode[] {
  const boundsOf = (metric: string): [number, number] | null => {
    const response = report.responses.find((one) => one.metric === metric);
    const { lo = null, hi = null } = response?.estimates.find((one) => one.treatment === treatment) ?? {};
    return lo === null || hi === null ? null : [lo, hi];
  };
  const stroke = colourOf(palette, find(treatment).mark);
  const within = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
  const across = boundsOf(pareto.x.metric)?.map((end) => within(xOf(end), area.left, area.right));
  const up = boundsOf(pareto.y.metric)?.map((end) => within(yOf(end), area.top, area.bottom));
  const lines = [
    ...(across ? [line({ from: [across[0] ?? 0, yOf(y)], to: [across[1] ?? 0, yOf(y)], stroke })] : []),
    ...(up ? [line({ from: [xOf(x), up[0] ?? 0], to: [xOf(x), up[1] ?? 0], stroke })] : []),
  ];
  return [el('g', { opacity: crossOpacity }, lines)];
}
