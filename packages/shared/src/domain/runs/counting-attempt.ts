import type { RunSummary } from './run.ts';

type Attempt = Pick<RunSummary, 'attempt' | 'status'>;

/**
 * The attempt at one Trial that counts: the newest that is done; where none is, the newest. Every figure, count and
 * file follows this one rule, for results may come late and then a later attempt may have failed already. Pure.
 */
export function countingAttempt<T extends Attempt>(attempts: readonly T[]): T | undefined {
  return attempts.reduce<T | undefined>(
    (best, one) => (best === undefined || isBefore(best, one) ? one : best),
    undefined,
  );
}

/** Of the Runs of one experiment those that count, one for each Trial, in the order in which Trials are met. Pure. */
export function countingAttempts<T extends Attempt & Pick<RunSummary, 'trialNumber'>>(
  runs: readonly T[],
): T[] {
  return [...Map.groupBy(runs, ({ trialNumber }) => trialNumber).values()].flatMap(
    (attempts) => countingAttempt(attempts) ?? [],
  );
}

function isBefore(best: Attempt, other: Attempt): boolean {
  const [isDone, isOtherDone] = [best.status === 'done', other.status === 'done'];
  return isDone === isOtherDone ? best.attempt < other.attempt : isOtherDone;
}
