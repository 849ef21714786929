/** One line of the benchmark table; the same form as the agent's own rows. */
export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** What it is held against, measured in the same run. */
  reference: number | null;
  ratio: number | null;
  goal: string;
  /** null where there is no goal, only a figure. */
  met: boolean | null;
}

export function atMost(name: string, value: number, goal: { limit: number; unit: string }): BenchRow {
  return {
    name,
    value,
    unit: goal.unit,
    reference: null,
    ratio: null,
    goal: `at most ${goal.limit} ${goal.unit}`,
    met: value <= goal.limit,
  };
}

export function figure(name: string, value: number, unit: string): BenchRow {
  return { name, value, unit, reference: null, ratio: null, goal: '', met: null };
}
