import { isFlaggedFor } from '../catalogue/flags.ts';
import { findMetric } from '../catalogue/metrics.ts';
import type { ComparedTreatment, Comparison } from '../domain/runs/comparison.ts';
import type { MetricDefinition } from '../domain/runs/verdict.ts';

export interface RunValue {
  runId: number;
  /** "run 12" */
  name: string;
  block: number;
  value: number;
  flagged: boolean;
  /** What it rests on; null for figures that rest on nothing in particular. */
  basis: string | null;
  /** Smallest step to another value that the run could have reported, in the unit of the metric; 0 if exact. */
  step: number;
}

export interface ValueChoice {
  /** Metric id. */
  metric: string;
  /** Include runs that a failed verdict flags for this metric. */
  flagged: boolean;
}

/** One value for each Run of a Treatment that carries the metric, by block. */
export function runValues(treatment: ComparedTreatment, { metric, flagged }: ValueChoice): RunValue[] {
  const definition = findMetric(metric);
  return treatment.runs
    .flatMap((run) => {
      const isFlagged = isFlaggedFor(run, definition);
      if (isFlagged && !flagged) return [];
      const value = run.metrics[metric];
      if (value === null || value === undefined || !Number.isFinite(value)) return [];
      return [
        {
          runId: run.runId,
          name: run.name ?? `run ${run.runId}`,
          block: run.block,
          value,
          flagged: isFlagged,
          basis: run.bases?.[definition?.group ?? ''] ?? null,
          step: definition ? stepOf(definition, value, run.metrics) : 0,
        },
      ];
    })
    .sort((a, b) => a.block - b.block);
}

/** Smallest step to another value that a run with these metrics could have reported; 0 for an exact metric. */
export function stepOf(
  { resolution }: Pick<MetricDefinition, 'resolution'>,
  value: number,
  metrics: Readonly<Record<string, number | null>>,
): number {
  if (resolution === 'exact') return 0;
  const { step = 0, share = 0, oneOf } = resolution;
  const count = oneOf === undefined ? null : (metrics[oneOf] ?? null);
  const oneShare = count !== null && count > 0 ? 1 / count : 0;
  return Math.max(step, share * Math.abs(value), oneShare * Math.abs(value));
}

/** The bases of these values, when there are several: then they must not meet in one figure. */
export function differingBases(values: readonly RunValue[]): string[] {
  const bases = [...new Set(values.map(({ basis }) => basis ?? 'unknown'))].sort();
  return bases.length > 1 ? bases : [];
}

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

/** The series drawn until another is chosen: who got in, median latency, or the broker's CPU where no message was timed. */
export function usualSeries(measured: Measured): { role: 'broker' | 'subscriber'; metric: string } {
  if (isMeasured(measured, 'availability.reached')) return { role: 'subscriber', metric: 'probe.reached' };
  return isMeasured(measured, usualMetric)
    ? { role: 'subscriber', metric: usualMetric }
    : { role: 'broker', metric: 'cpu.process' };
}
