import type { ReportEnergy } from '../domain/report/report-energy.ts';
import { linearAxis } from './drawing/axis.ts';
import { curve, legend, makePanel, marker } from './drawing/plot.ts';
import type { Picture, SvgNode } from './drawing/svg.ts';
import { type FigureContext, figureWidth } from './drawing/treatments.ts';

const height = 220;

/** Change of the energy over the length of the set-up, one line for each size of the load. */
export function drawSensitivity(
  { palette }: FigureContext,
  { cells }: NonNullable<ReportEnergy['sensitivity']>,
): Picture {
  const loads = [...new Set(cells.map(({ loadFactor }) => loadFactor))];
  const keys = legend(
    palette,
    loads.map((load, index) => ({ mark: index + 1, text: `load × ${load}` })),
    { left: 50, top: 0, right: figureWidth },
  );
  const top = keys.height + 22;
  const area = { left: 50, right: figureWidth - 8, top, bottom: top + height };
  const percent = (change: number | null) => (change ?? 0) * 100;
  const panel = makePanel({
    palette,
    area,
    x: linearAxis(cells.map(({ handshakeFactor }) => handshakeFactor)),
    y: linearAxis(
      cells.map(({ relChange }) => percent(relChange)),
      { zero: true },
    ),
    xLabel: 'length of the set-up, times what it was',
    yLabel: 'change of the energy, %',
  });
  const nodes: SvgNode[] = [...keys.nodes, ...panel.ground];
  loads.forEach((load, index) => {
    const own = cells.filter(({ loadFactor }) => loadFactor === load);
    const points = own.map(({ handshakeFactor, relChange }): [number, number] => [
      panel.x(handshakeFactor),
      panel.y(percent(relChange)),
    ]);
    nodes.push(
      curve(palette, index + 1, points),
      ...points.map(([x, y]) => marker(palette, index + 1, { x, y, size: 3 })),
    );
  });
  return { width: figureWidth, height: area.bottom + 38, label: 'Sensitivity of the energy', nodes };
}
