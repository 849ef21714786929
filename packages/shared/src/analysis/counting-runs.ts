import { failedIds } from '../catalogue/flags.ts';
import type { Plan } from '../domain/plans/plan.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import { countingAttempts, type RunRow, runName } from '../domain/runs/run.ts';
import { usualLevel } from './estimate.ts';

/**
 * Level of t intervals that cover 95 % after optional stopping. Stopping as soon as the interval is narrow
 * favours runs that are close together by chance. The level was determined by simulation (`npm run
 * coverage`).
 */
const levelWhenStopping = 0.97;

/** Returns the level at which intervals over a plan's runs cover 95 %. */
export function levelOf(plan: Pick<Plan, 'stopping'> | null): number {
  return plan?.stopping ? levelWhenStopping : usualLevel;
}

/** Rule of `levelOf`, in words. */
export const stoppingNote = `if a stopping rule chose the number of repetitions, ${100 * levelWhenStopping} % intervals are used so that coverage is ${100 * usualLevel} %`;

/** Returns the note shown with intervals from experiments with a stopping rule; empty without such a rule. */
export function levelNote(treatments: readonly Pick<ComparedTreatment, 'level'>[]): string {
  return treatments.some(({ level }) => level !== undefined && level !== usualLevel) ? stoppingNote : '';
}

/** Returns the finished attempts that count and are not excluded. */
export function countingRuns<T extends RunRow>(runs: readonly T[], takesFlagged: boolean): T[] {
  return countingAttempts(runs).filter(
    ({ status, exclusion, flagged }) => status === 'done' && exclusion === null && (takesFlagged || !flagged),
  );
}

/** Groups the runs of an experiment by treatment, in the order of the plan; includes flagged runs, marked as such. */
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
