import { failedIds } from '../catalogue/flags.ts';
import type { Plan } from '../domain/plans/plan.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import { countingAttempts, type RunRow, runName } from '../domain/runs/run.ts';
import { usualLevel } from './estimate.ts';

/**
 * Level of t intervals that cover 95 % after stopping: looking after every repetition and ending when the interval is
 * narrow catches runs that happen to lie close together. Found by simulation (`npm run coverage`).
 */
const levelWhenStopping = 0.97;

/** The level at which intervals over the runs of a plan are taken, so that they cover 95 %. */
export function levelOf(plan: Pick<Plan, 'stopping'> | null): number {
  return plan?.stopping ? levelWhenStopping : usualLevel;
}

/** The rule of `levelOf` in words. */
export const stoppingNote = `where a stopping rule chose the repetitions, intervals are taken at ${100 * levelWhenStopping} % so that they cover ${100 * usualLevel} %`;

/** Said wherever intervals are shown that a stopping rule has looked at; empty where there are none. */
export function levelNote(treatments: readonly Pick<ComparedTreatment, 'level'>[]): string {
  return treatments.some(({ level }) => level !== undefined && level !== usualLevel) ? stoppingNote : '';
}

/** Attempts that count, finished, and that nobody left out. */
export function countingRuns<T extends RunRow>(runs: readonly T[], takesFlagged: boolean): T[] {
  return countingAttempts(runs).filter(
    ({ status, exclusion, flagged }) => status === 'done' && exclusion === null && (takesFlagged || !flagged),
  );
}

/** The runs of one experiment by Treatment, flagged ones included and marked, in the order of the plan. */
export function treatmentsOfRuns(
  experimentId: number,
  plan: Pick<Plan, 'treatments' | 'stopping'>,
  runs: readonly RunRow[],
): ComparedTreatment[] {
  const counting = Map.groupBy(countingRuns(runs, true), ({ treatmentKey }) => treatmentKey);
  const level = levelOf(plan);
  return plan.treatments.map((treatment) => ({
    id: treatment.key,
    experimentId,
    treatment,
    ...(level === usualLevel ? {} : { level }),
    runs: (counting.get(treatment.key) ?? []).map((run) => ({
      runId: run.id,
      name: runName(run),
      block: run.block,
      flagged: run.flagged,
      failed: failedIds(run.verdicts),
      metrics: run.metrics,
      ...(run.bases ? { bases: run.bases } : {}),
    })),
    latency: null,
    latencyWithFlagged: null,
  }));
}
