/** One line of the benchmark table; the same form as that of the agent and of e2e. */
export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  reference: number | null;
  ratio: number | null;
  goal: string;
  met: boolean | null;
}

export function atMostMs(name: string, value: number, limit: number): BenchRow {
  const goal = `at most ${limit} ms`;
  return { name, value, unit: 'ms', reference: null, ratio: null, goal, met: value <= limit };
}

/** Median over `repeats`, after a third as many to warm up. */
export function medianMs(repeats: number, work: () => unknown): number {
  for (let i = 0; i < repeats / 3; i += 1) work();
  const taken = Array.from({ length: repeats }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return taken.sort((x, y) => x - y)[Math.floor(repeats / 2)] ?? Number.NaN;
}

export function figure(name: string, value: number, unit: string): BenchRow {
  return { name, value, unit, reference: null, ratio: null, goal: '', met: null };
}

/** Held against a most, or a least. */
export function judged(
  name: string,
  value: number,
  { unit, most, least }: { unit: string; most?: number; least?: number },
): BenchRow {
  const goal = most === undefined ? `at least ${least} ${unit}` : `at most ${most} ${unit}`;
  const met = most === undefined ? value >= (least ?? 0) : value <= most;
  return { name, value, unit, reference: null, ratio: null, goal, met };
}
