import { type Axis, canBeLog, logAxis, niceAxis, tightAxis } from '@mqttlab/charts/drawing/axis';
import { columnsOf } from '@mqttlab/charts/table';
import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';
import type { ChartTable } from './chart-table.ts';

export type StripPoint = { id: number; name: string; value: number; isFlagged: boolean };
export type StripRow = {
  /** Names the rows under it; has no points. */
  isHeading?: boolean;
  treatment: TreatmentIdentity;
  points: readonly StripPoint[];
};

/** Around all values; no zero, for dots have no length. */
export function stripAxis(rows: readonly StripRow[], scale: 'linear' | 'log'): Axis {
  const values = rows.flatMap(({ points }) => points.map(({ value }) => value));
  if (scale === 'log' && canBeLog(values)) return logAxis(values);
  if (values.length === 0) return niceAxis({ min: 0, max: 1 });
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const room = max > min ? (max - min) * 0.03 : Math.abs(max) * 0.1 || 1;
  return tightAxis({ min: min >= 0 ? Math.max(0, min - room) : min - room, max: max + room, steps: 4 });
}

/** One row for each run. */
export function stripTable(rows: readonly StripRow[], head: { name: string; unit: string }): ChartTable {
  return {
    columns: columnsOf('Treatment', 'Run', [head.name, head.unit], 'Flagged'),
    rows: rows.flatMap(({ treatment, points }) =>
      points.map(({ name, value, isFlagged }) => [treatment.label, name, value, isFlagged ? 'yes' : 'no']),
    ),
  };
}
