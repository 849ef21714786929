import { titleOf } from '@mqttlab/shared/analysis/phrase';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ReportPareto } from '@mqttlab/shared/domain/report/report';
import { formatNumber } from '@mqttlab/shared/format/number';
import { linearAxis } from '../drawing/axis.ts';
import { placeLabels } from '../drawing/labels.ts';
import { drawOnePanel } from '../drawing/one-panel.ts';
import { colourOf } from '../drawing/palette.ts';
import { label, line, marker, type Panel } from '../drawing/plot.ts';
import { stairThrough } from '../drawing/shapes.ts';
import { el, type Picture, type SvgNode } from '../drawing/svg.ts';
import type { FigureContext } from '../drawing/treatments.ts';

/** Intervals this faint leave the means in front. */
const crossOpacity = 0.32;

/** Every run pale, every mean strong, a stair through the means that no other beats in both. */
export function drawPareto(context: FigureContext, pareto: ReportPareto): Picture {
  const { palette, find } = context;
  const all = [...pareto.points, ...pareto.runs];
  const spec = {
    label: `${pareto.y.label} against ${pareto.x.label}`,
    heightPx: 300,
    left: 56,
    x: linearAxis(all.map(({ x }) => x)),
    y: linearAxis(all.map(({ y }) => y)),
    xLabel: `${titleOf(pareto.x)}, ${pareto.x.unit}`,
    yLabel: `${titleOf(pareto.y)}, ${pareto.y.unit}`,
  };
  return drawOnePanel(context, spec, (panel) => [
    el('path', { d: stairOf(pareto, panel), fill: 'none', stroke: palette.accent, strokeWidth: 1.5 }),
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
        [
          el('title', {}, [
            `${find(treatment).label}, ${context.runName(runId)}: ${formatNumber(x)}, ${formatNumber(y)}`,
          ]),
        ],
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
      panel.area,
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
  ]);
}

/** Through the means that no other beats. */
function stairOf(pareto: ReportPareto, panel: Panel): string {
  const front = pareto.points.filter(({ rank }) => rank === 1).sort((a, b) => a.x - b.x);
  const isMoreBetter = findMetric(pareto.x.metric)?.better === 'higher';
  return stairThrough(
    front.map(({ x, y }) => [panel.x(x), panel.y(y)]),
    isMoreBetter,
  );
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
