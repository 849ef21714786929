import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import type { Redefined, RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { ChangeStore } from '../store/settings/access-store.ts';
import type { StorageStore } from '../store/settings/settings-store.ts';
import { StorageError } from '../store/storage-error.ts';
import type { AnalysisStores } from './compare.ts';
import { finishRun } from './finish-run.ts';

/** Relative changes up to this are rounding. */
const rounding = 1e-9;

export type Redefining = ReturnType<typeof startRedefining>;

/**
 * Recomputes metrics and verdicts of stored runs that an earlier version computed. Works in the background,
 * one run at a time, and stores with each run how its metrics changed.
 */
export function startRedefining(
  stores: AnalysisStores,
  { onDone, onDamaged, now, ...background }: RedefiningOptions,
) {
  return startBackgroundWork(async (isStopped) => {
    let count = 0;
    stores.runs.markRunsWithoutEvidence(definitionsVersion);
    // Each run is processed once, whatever the outcome, because a damaged run must not block the others.
    for (let id = nextAfter(stores, 0); id !== null && !isStopped(); id = nextAfter(stores, id)) {
      const damage = redefine(stores, id, now());
      if (damage === null) count += 1;
      else onDamaged(id, damage);
      await yieldToEventLoop();
    }
    if (count > 0) onDone(count);
  }, background);
}

interface RedefiningOptions {
  onDone: (runs: number) => void;
  /**
   * Called if the stored data of a run cannot be evaluated. Its figures stay unchanged, and it is not
   * retried.
   */
  onDamaged: (runId: number, error: unknown) => void;
  /** Called if the database failed; the remaining runs are retried after `retryAfterMs`. */
  onError: (error: unknown) => void;
  retryAfterMs?: number;
  now: () => number;
}

function nextAfter(stores: AnalysisStores, id: number): number | null {
  return stores.runs.listRunsOfEarlierDefinitions(definitionsVersion, { after: id, limit: 1 })[0] ?? null;
}

/**
 * Recomputes a run. Returns its damage, or null if there is none. Throws StorageError if the database fails.
 */
function redefine(stores: AnalysisStores, id: number, at: number): unknown {
  try {
    const before = stores.runs.findRun(id);
    const after = finishRun(stores, id);
    const changed = before ? compare(before, after) : [];
    const isFlagAnother = before !== null && before.flagged !== after.flagged;
    if (changed.length > 0 || isFlagAnother) {
      stores.runs.noteRedefined(id, { at, changes: changed, flagBefore: before?.flagged ?? false });
    }
    return null;
  } catch (error) {
    // Individual database pages of a run may be damaged; any other database error affects all runs.
    if (error instanceof StorageError && error.code !== 'corrupt') throw error;
    stores.runs.saveDefinitions(id, definitionsVersion);
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

interface BackgroundWorkOptions {
  /** Called for each failure; the work is retried after `retryAfterMs`. */
  onError: (error: unknown) => void;
  /** 15 s by default. */
  retryAfterMs?: number | undefined;
}

/**
 * Starts background work immediately and at every wake-up, never twice at the same time. The work yields
 * between steps and ends early if `isStopped` returns true. Failed work, for example on a full disk, is
 * retried later.
 */
function startBackgroundWork(
  work: (isStopped: () => boolean) => Promise<void>,
  { onError, retryAfterMs = 15_000 }: BackgroundWorkOptions,
) {
  let stopped = false;
  let running: Promise<void> | null = null;
  let retry: NodeJS.Timeout | null = null;
  const wake = (): void => {
    if (stopped || running) return;
    if (retry !== null) clearTimeout(retry);
    running = work(() => stopped)
      .catch((error: unknown) => {
        onError(error);
        retry = setTimeout(wake, retryAfterMs).unref();
      })
      .finally(() => {
        running = null;
      });
  };
  wake();
  return {
    /** Starts the work again if there is more to do. */
    wake,
    /** Resolves when nothing else is due, the work failed, or it was stopped. */
    idle: async (): Promise<void> => void (await running),
    async stop(): Promise<void> {
      stopped = true;
      if (retry !== null) clearTimeout(retry);
      await running;
    },
  };
}

const everyMs = 3_600_000;

interface RetentionOptions {
  onError: (error: unknown) => void;
}

/**
 * Deletes series and logs that are older than the retention time, run by run in the background: at the start,
 * every hour and on wake-up. The activity log lists the affected experiments.
 */
export function startRetention(
  { storage, changes }: { storage: StorageStore; changes: ChangeStore },
  { onError }: RetentionOptions,
) {
  /** Number of runs whose series were removed, by experiment, that are not in the activity log yet. */
  const unlogged = new Map<number, number>();
  const logRemoved = (): void => {
    for (const [id, runs] of unlogged) {
      const change = {
        actor: 'retention',
        address: 'this server',
        action: 'retention',
        words: 'Remove series and logs',
        subject: `/experiments/${id}`,
        before: null,
        after: { runs, retentionDays: storage.readStorageSettings().retentionDays },
      };
      changes.addChange(change, { join: false });
      unlogged.delete(id);
    }
  };
  const work = async (isStopped: () => boolean): Promise<void> => {
    try {
      for (
        let id = storage.removeDueSeries();
        id !== null;
        id = isStopped() ? null : storage.removeDueSeries()
      ) {
        unlogged.set(id, (unlogged.get(id) ?? 0) + 1);
        await yieldToEventLoop();
      }
    } finally {
      logRemoved();
    }
  };
  const background = startBackgroundWork(work, { onError });
  const timer = setInterval(background.wake, everyMs).unref();
  return {
    ...background,
    stop(): Promise<void> {
      clearInterval(timer);
      return background.stop();
    },
  };
}
