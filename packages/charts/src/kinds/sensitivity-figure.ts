import type { ReportEnergy } from '@mqttlab/shared/domain/report/report-energy';
import { linearAxis } from '../drawing/axis.ts';
import { drawOnePanel } from '../drawing/one-panel.ts';
import { curve, marker } from '../drawing/plot.ts';
import type { Point } from '../drawing/shapes.ts';
import type { Picture } from '../drawing/svg.ts';
import type { FigureContext } from '../drawing/treatments.ts';

/** Change of the energy over the length of the set-up, one line for each size of the load. */
export function drawSensitivity(
  context: FigureContext,
  { cells }: NonNullable<ReportEnergy['sensitivity']>,
): Picture {
  const { palette } = context;
  const loads = [...new Set(cells.map(({ loadFactor }) => loadFactor))];
  const percent = (change: number | null) => (change ?? 0) * 100;
  const spec = {
    label: 'Sensitivity of the energy',
    keys: loads.map((load, index) => ({ mark: index + 1, text: `load × ${load}` })),
    heightPx: 220,
    x: linearAxis(cells.map(({ handshakeFactor }) => handshakeFactor)),
    y: linearAxis(
      cells.map(({ relChange }) => percent(relChange)),
      { zero: true },
    ),
    xLabel: 'length of the set-up, times what it was',
    yLabel: 'change of the energy, %',
  };
  return drawOnePanel(context, spec, (panel) =>
    loads.flatMap((load, index) => {
      const points = cells
        .filter(({ loadFactor }) => loadFactor === load)
        .map((cell): Point => [panel.x(cell.handshakeFactor), panel.y(percent(cell.relChange))]);
      return [
        curve(palette, index + 1, points),
        ...points.map(([x, y]) => marker(palette, index + 1, { x, y, size: 3 })),
      ];
    }),
  );
}
