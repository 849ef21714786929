import type { StabilityCurve } from '@mqttlab/shared/domain/report/report-stability';
import type { Picture } from '../drawing/svg.ts';
import type { FigureContext } from '../drawing/treatments.ts';
import type { DocumentTable } from '../table.ts';
import { drawLines } from './lines-figure.ts';
import { linesOverTime, tableOverTime } from './over-time.ts';

interface CurvesSpec {
  label: string;
  unit: string;
  xLabel: string;
  curves: readonly StabilityCurve[];
  zero?: boolean;
}

/** Means over runs with their bands, seconds along x; with the same as a table. */
export function curveFigure(
  context: FigureContext,
  { label, unit, xLabel, curves, zero = false }: CurvesSpec,
): { picture: Picture | null; table: DocumentTable } {
  const all = curves.map(({ mean, ...curve }) => ({ ...curve, value: mean }));
  const heads = ['Mean', '95 % CI from', '95 % CI to'];
  return {
    picture:
      all.length === 0
        ? null
        : drawLines(context, { label, xLabel, yLabel: unit, series: linesOverTime(all), zero }),
    table: tableOverTime(all, { name: context.name, heads, unit }),
  };
}
