import type { Comparison } from '../domain/runs/comparison.ts';

/** What was measured, run by run; a comparison has it. */
type Measured = {
  treatments: readonly { runs: readonly { metrics: Readonly<Record<string, number | null>> }[] }[];
};

/** What is shown where nobody chose and nothing else was asked for; whether it was measured decides. */
export const usualMetric = 'latency.p50';

/** True where a Run carries the metric. */
export function isMeasured({ treatments }: Measured, metric: string): boolean {
  return treatments.some(({ runs }) => runs.some((run) => typeof run.metrics[metric] === 'number'));
}

/** What a comparison shows until something else is chosen: what its experiments ask about. */
export function usualResponse(comparison: Comparison): string {
  const asked = comparison.experiments.flatMap(({ response }) => response ?? []);
  return asked.find((metric) => isMeasured(comparison, metric)) ?? usualMetric;
}

/** What others are held against until something else is chosen: the baseline of the first plan. */
export function usualBaseline({ experiments, treatments }: Comparison): string {
  const planned = experiments.flatMap(({ baselineId }) => baselineId ?? []);
  const found = treatments.find(({ id }) => planned.includes(id)) ?? treatments[0];
  return found?.id ?? '';
}

/** The series drawn until another is chosen: median latency, or the broker's CPU where no message was timed. */
export function usualSeries(measured: Measured): { role: 'broker' | 'subscriber'; metric: string } {
  return isMeasured(measured, usualMetric)
    ? { role: 'subscriber', metric: usualMetric }
    : { role: 'broker', metric: 'cpu.process' };
}
