/** One row of the benchmark table. */
export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** Reference value measured in the same run; null if the goal is a fixed value. */
  reference: number | null;
  ratio: number | null;
  /** In words, for example "at most 0.5 x mosquitto_pub". */
  goal: string;
  /** null without a goal. */
  met: boolean | null;
}

interface Measured {
  name: string;
  value: number;
  unit: string;
  atMost?: number;
  atLeast?: number;
  /** If set, the goal is a multiple of another program's value in the same run. */
  beside?: { program: string; reference: number };
}

export function makeRow({ name, value, unit, atMost, atLeast, beside }: Measured): BenchRow {
  const ratio = beside === undefined ? null : value / beside.reference;
  const judged = ratio ?? value;
  const of = beside === undefined ? unit : `x ${beside.program}`;
  const common = { name, value, unit, reference: beside?.reference ?? null, ratio };
  if (atMost !== undefined) return { ...common, goal: `at most ${atMost} ${of}`, met: judged <= atMost };
  if (atLeast !== undefined) return { ...common, goal: `at least ${atLeast} ${of}`, met: judged >= atLeast };
  return { ...common, goal: beside === undefined ? '' : `beside ${beside.program}, no goal`, met: null };
}

/** Makes a row without a goal. */
export function figure(name: string, value: number, unit: string): BenchRow {
  return makeRow({ name, value, unit });
}

export function atMost(name: string, value: number, goal: { limit: number; unit: string }): BenchRow {
  return makeRow({ name, value, unit: goal.unit, atMost: goal.limit });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 1 ? middle : middle - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('The median of nothing');
  return (lower + upper) / 2;
}

/** Returns the median over `repeats`, after a third as many for warm-up. */
export function medianMs(repeats: number, work: () => unknown): number {
  for (let i = 0; i < repeats / 3; i += 1) work();
  const taken = Array.from({ length: repeats }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return median(taken);
}

/** Formats a table for the terminal with three digits; rows that miss their goal are marked. */
export function formatRows(rows: readonly BenchRow[]): string[] {
  const text = (value: number | null) => (value === null ? '' : String(Number(value.toPrecision(3))));
  const table = [
    ['What', 'Measured', 'Reference', 'Ratio', 'Goal', ''],
    ...rows.map((row) => [
      row.name,
      `${text(row.value)} ${row.unit}`,
      text(row.reference),
      row.ratio === null ? '' : `${text(row.ratio)} x`,
      row.goal,
      row.met === null ? '' : row.met ? 'met' : 'MISSED',
    ]),
  ];
  const widths = table[0]!.map((_head, column) => Math.max(...table.map((line) => line[column]!.length)));
  return table.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
