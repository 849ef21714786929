import { titleOf } from '../analysis/phrase.ts';
import type { ReportResponse } from '../domain/report/report.ts';
import { linearAxis } from './drawing/axis.ts';
import { colourOf } from './drawing/palette.ts';
import { curve, errorBar, legend, makePanel, marker } from './drawing/plot.ts';
import { rowNames } from './drawing/row-names.ts';
import type { Picture, SvgNode } from './drawing/svg.ts';
import { type FigureContext, figureWidth } from './drawing/treatments.ts';

const height = 220;

/** Means over the rows, one line for each colour: lines that are not parallel show an interaction. */
export function drawInteraction(context: FigureContext, response: ReportResponse): Picture {
  const { palette, rows, colours, find } = context;
  const keys = legend(palette, colours, { left: 50, top: 0, right: figureWidth });
  const axis = linearAxis(
    response.estimates.flatMap(({ mean, lo, hi }) => [mean, lo, hi].flatMap((v) => v ?? [])),
  );
  const top = keys.height + 22;
  const area = { left: 50, right: figureWidth - 8, top, bottom: top + height };
  const panel = makePanel({
    palette,
    area,
    x: { min: -0.5, max: rows.length - 0.5, ticks: [], isLog: false, format: String },
    y: axis,
    yLabel: `${titleOf(response)}, ${response.unit}`,
  });
  const nodes: SvgNode[] = [...keys.nodes, ...panel.ground];
  colours.forEach(({ text, mark }, place) => {
    const shift = (place - (colours.length - 1) / 2) * 9;
    const points = rows.map((row, index) => {
      const estimate = response.estimates.find(({ treatment }) => {
        const { rowLabel, colourLabel } = find(treatment);
        return rowLabel === row && colourLabel === text;
      });
      return estimate && estimate.mean !== null ? { x: panel.x(index) + shift, estimate } : null;
    });
    nodes.push(
      curve(
        palette,
        mark,
        points.map((point) => (point ? [point.x, panel.y(point.estimate.mean ?? 0)] : null)),
      ),
    );
    for (const point of points) {
      if (!point) continue;
      const { lo, hi, mean } = point.estimate;
      if (lo !== null && hi !== null) {
        nodes.push(errorBar(colourOf(palette, mark), { x: point.x, lo: panel.y(lo), hi: panel.y(hi) }));
      }
      nodes.push(marker(palette, mark, { x: point.x, y: panel.y(mean ?? 0), size: 4 }));
    }
  });
  const names = rowNames(context, area);
  nodes.push(...names.nodes);
  return {
    width: figureWidth,
    height: area.bottom + names.height,
    label: `${response.label} by treatment`,
    nodes,
  };
}
