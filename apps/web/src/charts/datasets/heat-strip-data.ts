import { columnsOf } from '@mqttlab/charts/table';
import type { ChartTable } from './chart-table.ts';
import type { SeriesPoint } from './time-series-data.ts';

/** One row of a heat strip: values over time, each for the stretch that ends at its instant. */
export type HeatRow = { name: string; points: readonly SeriesPoint[] };

export type HeatCell = { row: number; from: number; to: number; value: number };

/** More columns than these are joined, by their mean: a cell is never narrower than a pixel or two. */
const maxColumns = 240;

/** Cells of every row. The first stretch is as long as the one after it. */
export function heatCells(rows: readonly HeatRow[]): HeatCell[] {
  return rows.flatMap(({ points }, row) => {
    const size = Math.max(1, Math.ceil(points.length / maxColumns));
    const step = (points[1]?.t ?? 1) - (points[0]?.t ?? 0);
    return Array.from({ length: Math.ceil(points.length / size) }, (_, i): HeatCell => {
      const part = points.slice(i * size, (i + 1) * size);
      const before = points[i * size - 1];
      const from = before ? before.t : (part[0]?.t ?? 0) - step;
      const value = part.reduce((sum, { v }) => sum + v, 0) / Math.max(1, part.length);
      return { row, from, to: part.at(-1)?.t ?? from, value };
    });
  });
}

export function heatTable(
  rows: readonly HeatRow[],
  { head, unit }: { head: string; unit: string },
): ChartTable {
  return {
    columns: columnsOf(head, ['Time', 's'], ['Value', unit]),
    rows: rows.flatMap(({ name, points }) => points.map(({ t, v }) => [name, t, v])),
  };
}
