import type { RunSummary } from '@mqttlab/shared/domain/runs/run';

/** Runs by the number of their Trial, first attempt first. */
export type TrialAttempts = ReadonlyMap<number, readonly RunSummary[]>;

export function groupAttempts(runs: readonly RunSummary[]): TrialAttempts {
  return Map.groupBy(
    [...runs].sort((a, b) => a.id - b.id),
    (run) => run.trialNumber,
  );
}
