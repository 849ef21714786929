import type { TableColumn } from '../table.ts';

/** What one Treatment shows at each instant, with its interval. */
export interface OverTime {
  treatment: string;
  timesMs: readonly number[];
  value: readonly (number | null)[];
  lo: readonly (number | null)[];
  hi: readonly (number | null)[];
}

/** As lines with bands, seconds along x. */
export function linesOverTime(all: readonly OverTime[]) {
  return all.map(({ treatment, timesMs, value, lo, hi }) => ({
    treatment,
    points: timesMs.map((ms, i) => ({
      x: ms / 1000,
      y: value[i] ?? null,
      lo: lo[i] ?? null,
      hi: hi[i] ?? null,
    })),
  }));
}

/** As a table: a row for each Treatment and instant. `heads` names value, lower and upper end. */
export function tableOverTime(
  all: readonly OverTime[],
  { name, heads, unit }: { name(treatment: string): string; heads: readonly string[]; unit: string },
): { columns: TableColumn[]; rows: (string | number | null)[][] } {
  return {
    columns: [{ head: 'Treatment' }, { head: 'Time', unit: 's' }, ...heads.map((head) => ({ head, unit }))],
    rows: linesOverTime(all).flatMap(({ treatment, points }) =>
      points.map(({ x, y, lo, hi }) => [name(treatment), x, y, lo, hi]),
    ),
  };
}
