import type { BenchRow } from './row.ts';

function text(value: number | null): string {
  return value === null ? '' : String(Number(value.toPrecision(3)));
}

/** A table for the terminal; a row that misses its goal says so. */
export function printRows(rows: readonly BenchRow[]): void {
  const cells = rows.map((row) => [
    row.name,
    `${text(row.value)} ${row.unit}`,
    text(row.reference),
    row.ratio === null ? '' : `${text(row.ratio)} x`,
    row.goal,
    row.met === null ? '' : row.met ? 'met' : 'MISSED',
  ]);
  const table = [['What', 'Measured', 'Reference', 'Ratio', 'Goal', ''], ...cells];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? '').length)),
  );
  for (const row of table) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}
