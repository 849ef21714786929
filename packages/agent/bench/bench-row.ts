/** One line of the benchmark table. */
export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** What it is compared with, measured in the same run; null where the goal is a fixed figure. */
  reference: number | null;
  ratio: number | null;
  /** In words, for example "at most 0.5 x mosquitto_pub". */
  goal: string;
  /** null where there is no goal, only a figure. */
  met: boolean | null;
}

export function makeAbsoluteRow(row: {
  name: string;
  value: number;
  unit: string;
  atMost: number;
}): BenchRow {
  const { name, value, unit, atMost } = row;
  const goal = `at most ${atMost} ${unit}`;
  return { name, value, unit, reference: null, ratio: null, goal, met: value <= atMost };
}

export function makeRatioRow(row: {
  name: string;
  value: number;
  unit: string;
  reference: number;
  program: string;
  atMost: number;
}): BenchRow {
  const { name, value, unit, reference, program, atMost } = row;
  const ratio = value / reference;
  return {
    name,
    value,
    unit,
    reference,
    ratio,
    goal: `at most ${atMost} x ${program}`,
    met: ratio <= atMost,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 1 ? middle : middle - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('The median of nothing');
  return (lower + upper) / 2;
}
