import { setImmediate as breathe } from 'node:timers/promises';
import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import type { Redefined, RunSummary } from '@mqttlab/shared/domain/runs/run';
import { StorageError } from '../store/storage-error.ts';
import { startBackgroundWork } from './background-work.ts';
import { finishRun } from './finish-run.ts';
import type { AnalysisStores } from './select-runs.ts';

/** Smaller relative changes are rounding. */
const rounding = 1e-9;

export type Redefining = ReturnType<typeof startRedefining>;

/**
 * Computes metrics and verdicts of stored runs anew where an earlier version computed them, one after the other beside
 * everything else, and notes on each run what became of its figures.
 */
export function startRedefining(
  stores: AnalysisStores,
  { onDone, onDamaged, now, ...background }: RedefiningOptions,
) {
  return startBackgroundWork(async (isStopped) => {
    let count = 0;
    stores.runs.markWithoutEvidence(definitionsVersion);
    // Each run is looked at once, whatever becomes of it: a damaged one never keeps the others from it.
    for (let id = nextAfter(stores, 0); id !== null && !isStopped(); id = nextAfter(stores, id)) {
      const damage = redefine(stores, id, now());
      if (damage === null) count += 1;
      else onDamaged(id, damage);
      await breathe();
    }
    if (count > 0) onDone(count);
  }, background);
}

interface RedefiningOptions {
  onDone: (runs: number) => void;
  /** What is stored of this run cannot be evaluated: its figures stay what they were, and it is not tried again. */
  onDamaged: (runId: number, error: unknown) => void;
  /** The database failed: the runs that are left are tried again after `retryAfterMs`. */
  onError: (error: unknown) => void;
  retryAfterMs?: number;
  now: () => number;
}

function nextAfter(stores: AnalysisStores, id: number): number | null {
  return stores.runs.listOfEarlierDefinitions(definitionsVersion, { after: id, limit: 1 })[0] ?? null;
}

/** Returns what is wrong with a damaged run, null otherwise. Throws StorageError if the database fails. */
function redefine(stores: AnalysisStores, id: number, at: number): unknown {
  try {
    const before = stores.runs.find(id);
    const after = finishRun(stores, id);
    const changed = before ? compare(before, after) : [];
    const isFlagAnother = before !== null && before.flagged !== after.flagged;
    if (changed.length > 0 || isFlagAnother) {
      stores.runs.noteRedefined(id, { at, changes: changed, flagBefore: before?.flagged ?? false });
    }
    return null;
  } catch (error) {
    // Pages of one run may be damaged; any other trouble of the database concerns all runs alike.
    if (error instanceof StorageError && error.code !== 'corrupt') throw error;
    stores.runs.markDefined(id, definitionsVersion);
    return error;
  }
}

function compare(before: RunSummary, after: RunSummary): Redefined['changes'] {
  return Object.entries(before.metrics).flatMap(([metric, old]) => {
    const now = after.metrics[metric] ?? null;
    if (old === null || (now !== null && Math.abs(now - old) <= rounding * Math.abs(old))) return [];
    return [{ metric, before: old, after: now }];
  });
}
