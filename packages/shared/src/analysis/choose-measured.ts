import type { Comparison } from '../domain/comparison.ts';

const fallback = 'latency.p50';

/** True where a Run of the comparison carries the metric. */
export function isMeasured({ treatments }: Comparison, metric: string): boolean {
  return treatments.some(({ runs }) => runs.some((run) => typeof run.metrics[metric] === 'number'));
}

/** What a comparison shows until something else is chosen: what its experiments ask about. */
export function usualResponse(comparison: Comparison): string {
  const asked = comparison.experiments.flatMap(({ response }) => response ?? []);
  return asked.find((metric) => isMeasured(comparison, metric)) ?? fallback;
}

/** The series drawn until another is chosen: median latency, or the broker's CPU where no message was timed. */
export function usualSeries(comparison: Comparison): { role: 'broker' | 'subscriber'; metric: string } {
  return isMeasured(comparison, fallback)
    ? { role: 'subscriber', metric: fallback }
    : { role: 'broker', metric: 'cpu.process' };
}
