import { findMetric } from '../catalogue/metrics.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';

export interface RunValue {
  runId: number;
  block: number;
  value: number;
  flagged: boolean;
  /** What it rests on; null for figures that rest on nothing in particular. */
  basis: string | null;
}

export interface ValueChoice {
  /** Metric id. */
  metric: string;
  /** Take runs with a failed verdict in. */
  flagged: boolean;
}

/** One value for each Run of a Treatment that carries the metric, by block. */
export function runValues(treatment: ComparedTreatment, { metric, flagged }: ValueChoice): RunValue[] {
  const group = findMetric(metric)?.group ?? '';
  return treatment.runs
    .filter((run) => flagged || !run.flagged)
    .flatMap((run) => {
      const value = run.metrics[metric];
      if (value === null || value === undefined || !Number.isFinite(value)) return [];
      return [
        {
          runId: run.runId,
          block: run.block,
          value,
          flagged: run.flagged,
          basis: run.bases?.[group] ?? null,
        },
      ];
    })
    .sort((a, b) => a.block - b.block);
}

/** The bases of these values, when there are several: then they must not meet in one figure. */
export function differingBases(values: readonly RunValue[]): string[] {
  const bases = [...new Set(values.map(({ basis }) => basis ?? 'not told'))].sort();
  return bases.length > 1 ? bases : [];
}
