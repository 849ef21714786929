import type { ReportSaturation } from '../domain/report.ts';
import { linearAxis } from './axis.ts';
import { band, curve, legend, makePanel, marker } from './plot.ts';
import type { Picture, SvgNode } from './svg.ts';
import { type FigureContext, figureWidth } from './treatments.ts';

const height = 260;

/** Runs over a numeric factor with their fitted lines and 95 % bands. */
export function drawSaturation(
  { palette }: Pick<FigureContext, 'palette'>,
  fits: readonly ReportSaturation[],
): Picture {
  const styles = new Map(
    fits.map(({ group, mark }, index) => [
      group,
      fits.length > 1 && fits.every((one) => one.mark === mark) ? index + 1 : mark,
    ]),
  );
  const keys = legend(
    palette,
    [...styles].map(([text, mark]) => ({ text, mark })),
    { left: 56, top: 0, right: figureWidth },
  );
  const top = keys.height + 22;
  const area = { left: 56, right: figureWidth - 8, top, bottom: top + height };
  const [first] = fits;
  const panel = makePanel({
    palette,
    area,
    x: linearAxis(fits.flatMap(({ points }) => points.map(({ x }) => x))),
    y: linearAxis(
      fits.flatMap(({ points, band: own }) => [...points.map(({ y }) => y), ...own.map(({ y }) => y)]),
    ),
    xLabel: first ? [first.factor, first.factorUnit].filter(Boolean).join(', ') : '',
    yLabel: first ? `${first.label}, ${first.unit}` : '',
  });
  const nodes: SvgNode[] = [...keys.nodes, ...panel.ground];
  for (const fit of fits) {
    const mark = styles.get(fit.group) ?? 1;
    nodes.push(
      ...band(
        palette,
        mark,
        fit.band.map(({ x, lo, hi }) => ({ x: panel.x(x), lo: panel.y(lo), hi: panel.y(hi) })),
      ),
      curve(
        palette,
        mark,
        fit.band.map(({ x, y }) => [panel.x(x), panel.y(y)]),
      ),
      ...fit.points.map(({ x, y }) => marker(palette, mark, { x: panel.x(x), y: panel.y(y), size: 3 })),
    );
  }
  return { width: figureWidth, height: area.bottom + 38, label: 'Linear fit over a factor', nodes };
}
