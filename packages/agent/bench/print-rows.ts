import type { BenchRow } from './bench-row.ts';

/** One line for each row, figures to three digits. */
export function printRows(rows: readonly BenchRow[]): void {
  const digits = (value: number | null) => (value === null ? '' : Number(value.toPrecision(3)).toString());
  const table = [
    ['measured', 'value', 'unit', 'reference', 'ratio', 'goal', 'met'],
    ...rows.map((row) => [
      row.name,
      digits(row.value),
      row.unit,
      digits(row.reference),
      digits(row.ratio),
      row.goal,
      row.met === null ? '' : row.met ? 'yes' : 'NO',
    ]),
  ];
  const widths = table[0]!.map((_head, column) => Math.max(...table.map((line) => line[column]!.length)));
  for (const line of table) console.log(line.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
}
