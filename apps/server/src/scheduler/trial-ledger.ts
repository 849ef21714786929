import type { Plan, Trial } from '@mqttlab/shared/domain/plans/plan';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { countingAttempt, type RunSummary } from '@mqttlab/shared/domain/runs/run';
import { isSettled } from '@mqttlab/shared/domain/runs/statuses';
import { countServerEnds, maxServerEnds } from '../run/results.ts';

/** The trial to run next, as a new run or as a run that is already planned. */
export interface NextRun {
  trial: Trial;
  attempt: number;
  retryOf: number | null;
  /** The run that was created when the retry was requested. */
  planned: RunSummary | null;
}

/** Returns the specification of a trial; undefined if the plan has no such trial. */
export function specOfTrial(plan: Plan | null, trial: Trial | undefined): TrialSpec | undefined {
  return plan?.treatments.find(({ key }) => key === trial?.treatmentKey)?.spec;
}

/** Determines which trials of a plan are still due from their runs. */
export class TrialLedger {
  readonly #plan: Pick<Plan, 'trials' | 'retries'>;
  /** Runs by trial, oldest first. */
  readonly #runs = new Map<number, RunSummary[]>();

  constructor(plan: Pick<Plan, 'trials' | 'retries'>, runs: readonly RunSummary[]) {
    this.#plan = plan;
    for (const run of runs) this.note(run);
  }

  /** Adds or updates a run. */
  note(run: RunSummary): void {
    const others = (this.#runs.get(run.trialNumber) ?? []).filter(({ id }) => id !== run.id);
    this.#runs.set(
      run.trialNumber,
      [...others, run].sort((a, b) => a.attempt - b.attempt),
    );
  }

  /**
   * Returns the next trial, block by block. Within a block, first attempts are returned in order, followed by
   * retries. Returns null if all trials are done.
   */
  next(): NextRun | null {
    const due = this.#plan.trials.flatMap((trial) => this.#due(trial) ?? []);
    const block = Math.min(...due.map(({ trial }) => trial.block));
    const [first] = due.filter(({ trial }) => trial.block === block).sort((a, b) => orderOf(a) - orderOf(b));
    return first ?? null;
  }

  /** Returns trials without data, or with only flagged data, that are neither running nor due. */
  again(which: 'failed' | 'flagged'): NextRun[] {
    return this.#plan.trials.flatMap((trial) => {
      const last = this.#lastOf(trial);
      if (!last || !isSettled(last.status) || this.#due(trial) !== null) return [];
      const counting = this.#countingOf(trial);
      const isWanted =
        counting?.status === 'done'
          ? which === 'flagged' && counting.flagged && counting.exclusion === null
          : which === 'failed';
      return isWanted ? [againAfter(trial, last)] : [];
    });
  }

  #due(trial: Trial): NextRun | null {
    const last = this.#lastOf(trial);
    if (last === undefined) return { trial, attempt: 1, retryOf: null, planned: null };
    if (this.#isDone(trial)) return null;
    if (last.status === 'planned') {
      return { trial, attempt: last.attempt, retryOf: last.retryOf, planned: last };
    }
    const attempts = this.#runs.get(trial.number) ?? [];
    if (last.status === 'interrupted') {
      return countServerEnds(attempts) < maxServerEnds ? againAfter(trial, last) : null;
    }
    if (last.status !== 'failed') return null;
    const failures = attempts.filter(({ status }) => status === 'failed').length;
    return failures <= this.#plan.retries ? againAfter(trial, last) : null;
  }

  /** Returns false while a flagged run is being repeated, until a new attempt is done. */
  #isDone(trial: Trial): boolean {
    const counting = this.#countingOf(trial);
    return counting?.status === 'done' && !(counting.flagged && this.#lastOf(trial)?.status !== 'done');
  }

  #countingOf(trial: Trial): RunSummary | undefined {
    return countingAttempt(this.#runs.get(trial.number) ?? []);
  }

  #lastOf(trial: Trial): RunSummary | undefined {
    return this.#runs.get(trial.number)?.at(-1);
  }
}

function againAfter(trial: Trial, last: RunSummary): NextRun {
  return { trial, attempt: last.attempt + 1, retryOf: last.id, planned: null };
}

/** Orders first attempts before retries, and retries by the creation of their runs. */
function orderOf({ trial, retryOf }: NextRun): number {
  return retryOf === null ? trial.number - 1e9 : retryOf;
}
