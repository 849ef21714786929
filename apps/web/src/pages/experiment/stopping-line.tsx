import { judgeStopping } from '@mqttlab/shared/analysis/judge-stopping';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { countingAttempts, isSettled, type RunSummary } from '@mqttlab/shared/domain/runs/run';
import { type ReactElement, useMemo } from 'react';
import styles from './trials-panel.module.css';

type StoppingLineProps = { plan: Plan; runs: readonly RunSummary[] };

/** Of a plan that stops once its intervals are narrow enough: why it goes on, or why it stopped. */
export function StoppingLine({ plan, runs }: StoppingLineProps): ReactElement | null {
  const sentence = useMemo(() => {
    const blocks = settledBlocks(plan, runs);
    return blocks === 0 ? null : (judgeStopping(plan, runs, blocks)?.sentence ?? null);
  }, [plan, runs]);
  if (!plan.stopping) return null;
  const { atLeast } = plan.stopping;
  const { repetitions } = plan;
  return (
    <p className={styles.stopping} role="status">
      {sentence ?? `${atLeast} to ${repetitions} repetitions, until the intervals are narrow enough.`}
    </p>
  );
}

/** Repetitions, from the first on, in which every Trial has come to its end. */
export function settledBlocks(
  plan: Pick<Plan, 'trials' | 'repetitions'>,
  runs: readonly RunSummary[],
): number {
  const last = new Map(countingAttempts(runs).map((run) => [run.trialNumber, run]));
  const isOver = (trialNumber: number) => {
    const run = last.get(trialNumber);
    return run !== undefined && isSettled(run.status);
  };
  for (let block = 1; block <= plan.repetitions; block += 1) {
    const trials = plan.trials.filter((trial) => trial.block === block);
    if (!trials.every(({ number }) => isOver(number))) return block - 1;
  }
  return plan.repetitions;
}
