import { isFlaggedFor } from '../catalogue/flags.ts';
import { findMetric } from '../catalogue/metrics.ts';
import type { ComparedTreatment, Comparison } from '../domain/runs/comparison.ts';
import type { MetricDefinition } from '../domain/runs/verdict.ts';

export interface RunValue {
  runId: number;
  /** For example "run 12". */
  name: string;
  block: number;
  value: number;
  flagged: boolean;
  /** Basis of the value; null if the metric has no basis. */
  basis: string | null;
  /** Resolution: the smallest step to another possible value, in the metric's unit; 0 if exact. */
  step: number;
}

export interface ValueChoice {
  /** Metric id. */
  metric: string;
  /** Includes runs that a failed verdict flags for this metric. */
  flagged: boolean;
}

/** Returns one value per run of a treatment that has the metric, by block. */
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

/** Returns the smallest step between two possible values of the metric in a run; 0 for an exact metric. */
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

/** Returns the bases of these values if there are several; such values must not be shown in one figure. */
export function differingBases(values: readonly RunValue[]): string[] {
  const bases = [...new Set(values.map(({ basis }) => basis ?? 'unknown'))].sort();
  return bases.length > 1 ? bases : [];
}

/** Measured runs, for example in a comparison. */
type Measured = {
  treatments: readonly { runs: readonly { metrics: Readonly<Record<string, number | null>> }[] }[];
};

/** Default metrics in order of preference; the first measured one is used. */
export const usualMetric = 'latency.p50';

/** True if a run has the metric. */
export function isMeasured({ treatments }: Measured, metric: string): boolean {
  return treatments.some(({ runs }) => runs.some((run) => typeof run.metrics[metric] === 'number'));
}

/** Returns the default metric of a comparison: the response of its experiments. */
export function usualResponse(comparison: Comparison): string {
  const asked = comparison.experiments.flatMap(({ response }) => response ?? []);
  return asked.find((metric) => isMeasured(comparison, metric)) ?? usualMetric;
}

/** Returns the default baseline: the baseline of the first plan. */
export function usualBaseline({ experiments, treatments }: Comparison): string {
  const planned = experiments.flatMap(({ baselineId }) => baselineId ?? []);
  const found = treatments.find(({ id }) => planned.includes(id)) ?? treatments[0];
  return found?.id ?? '';
}

/** Returns the default series: availability, median latency, or the broker's CPU if no latency was measured. */
export function usualSeries(measured: Measured): { role: 'broker' | 'subscriber'; metric: string } {
  if (isMeasured(measured, 'availability.reached')) return { role: 'subscriber', metric: 'probe.reached' };
  return isMeasured(measured, usualMetric)
    ? { role: 'subscriber', metric: usualMetric }
    : { role: 'broker', metric: 'cpu.process' };
}
