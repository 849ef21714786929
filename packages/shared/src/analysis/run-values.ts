import type { ComparedTreatment } from '../domain/comparison.ts';

export interface RunValue {
  runId: number;
  block: number;
  value: number;
  flagged: boolean;
}

export interface ValueChoice {
  /** Metric id. */
  metric: string;
  /** Take runs with a failed verdict in. */
  flagged: boolean;
}

/** One value for each Run of a Treatment that carries the metric, by block. */
export function runValues(treatment: ComparedTreatment, { metric, flagged }: ValueChoice): RunValue[] {
  return treatment.runs
    .filter((run) => flagged || !run.flagged)
    .flatMap((run) => {
      const value = run.metrics[metric];
      if (value === null || value === undefined || !Number.isFinite(value)) return [];
      return [{ runId: run.runId, block: run.block, value, flagged: run.flagged }];
    })
    .sort((a, b) => a.block - b.block);
}
