import { centreWords, titleOf } from '../analysis/phrase.ts';
import type { ReportResponse } from '../domain/report/report.ts';
import { formatInterval } from '../format/interval.ts';
import { linearAxis } from './drawing/axis.ts';
import { colourOf } from './drawing/palette.ts';
import { errorBar, legend, makePanel, marker } from './drawing/plot.ts';
import { rowNames } from './drawing/row-names.ts';
import { el, type Picture, type SvgNode } from './drawing/svg.ts';
import { type FigureContext, figureWidth } from './drawing/treatments.ts';

const height = 240;

/** Bars from zero with 95 % intervals, grouped by row; every run is a point on its bar. */
export function drawMeans(context: FigureContext, response: ReportResponse): Picture {
  const { palette, rows, colours, find } = context;
  const keys = legend(palette, colours, { left: 50, top: 0, right: figureWidth });
  const shown = response.estimates.filter(({ mean }) => mean !== null);
  const axis = linearAxis(
    shown.flatMap(({ mean, lo, hi, values }) => [
      mean ?? 0,
      lo ?? 0,
      hi ?? 0,
      ...values.map(({ value }) => value),
    ]),
    { zero: true },
  );
  const top = keys.height + 22;
  const area = { left: 50, right: figureWidth - 8, top, bottom: top + height };
  const panel = makePanel({
    palette,
    area,
    x: { min: 0, max: Math.max(1, rows.length), ticks: [], isLog: false, format: String },
    y: axis,
    yLabel: `${titleOf(response)}, ${response.unit}`,
  });
  const nodes: SvgNode[] = [...keys.nodes, ...panel.ground];
  const groupWidth = (area.right - area.left) / Math.max(1, rows.length);
  const barWidth = Math.min(54, (groupWidth * 0.78) / colours.length);
  rows.forEach((row, index) => {
    const centre = area.left + groupWidth * (index + 0.5);
    colours.forEach(({ text, mark }, place) => {
      const estimate = shown.find(({ treatment }) => {
        const { rowLabel, colourLabel } = find(treatment);
        return rowLabel === row && colourLabel === text;
      });
      if (!estimate || estimate.mean === null) return;
      const x = centre + (place - (colours.length - 1) / 2) * barWidth;
      const y = panel.y(estimate.mean);
      const zero = panel.y(0);
      const { text: said } = formatInterval(
        { value: estimate.mean, lo: estimate.lo ?? undefined, hi: estimate.hi ?? undefined },
        { unit: response.unit },
      );
      nodes.push(
        el(
          'rect',
          {
            x: x - barWidth * 0.42,
            y: Math.min(y, zero),
            width: barWidth * 0.84,
            height: Math.abs(zero - y),
            fill: colourOf(palette, mark),
            fillOpacity: 0.18,
            stroke: colourOf(palette, mark),
            strokeWidth: 1.25,
          },
          [el('title', {}, [`${find(estimate.treatment).label}: ${said}`])],
        ),
      );
      estimate.values.forEach(({ runId, value }, run) => {
        const spread = ((run + 0.5) / estimate.values.length - 0.5) * barWidth * 0.5;
        nodes.push(
          marker(palette, mark, { x: x + spread, y: panel.y(value), size: 2, tip: `run ${runId}: ${value}` }),
        );
      });
      if (estimate.lo !== null && estimate.hi !== null) {
        nodes.push(errorBar(palette.text, { x, lo: panel.y(estimate.lo), hi: panel.y(estimate.hi) }));
      }
    });
  });
  const names = rowNames(context, area);
  nodes.push(...names.nodes);
  return {
    width: figureWidth,
    height: area.bottom + names.height,
    label: `${response.label}: ${centreWords(response.metric)} with 95 % interval`,
    nodes,
  };
}
