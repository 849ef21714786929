import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import type { Redefined, RunSummary } from '@mqttlab/shared/domain/runs/run';
import { finishRun } from './finish-run.ts';
import type { AnalysisStores } from './stores.ts';

/** Runs computed between two looks at what else the server has to do. */
const batch = 1;
/** Smaller relative changes are rounding. */
const rounding = 1e-9;

export interface Redefining {
  /** Looks again for runs of earlier definitions: a bundle may have brought some. */
  wake(): void;
  /** Resolves once all are computed, or it was stopped. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Computes metrics and verdicts of stored runs anew where an earlier version computed them, one after the other beside
 * everything else, and notes on each run what became of its figures.
 */
export function startRedefining(
  stores: AnalysisStores,
  {
    onDone,
    onError,
    now,
  }: { onDone: (runs: number) => void; onError: (error: unknown) => void; now: () => number },
): Redefining {
  let stopped = false;
  let running: Promise<void> | null = null;

  const work = async (): Promise<void> => {
    let count = 0;
    try {
      stores.runs.markWithoutEvidence(definitionsVersion);
      while (!stopped) {
        const ids = stores.runs.listOfEarlierDefinitions(definitionsVersion, batch);
        if (ids.length === 0) break;
        for (const id of ids) {
          redefine(stores, id, now());
          count += 1;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (count > 0) onDone(count);
    } catch (error) {
      onError(error);
    }
  };
  const wake = (): void => {
    if (stopped) return;
    running ??= work().finally(() => {
      running = null;
    });
  };
  wake();
  return {
    wake,
    idle: async () => {
      await running;
    },
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

function redefine(stores: AnalysisStores, id: number, at: number): void {
  const before = stores.runs.find(id);
  try {
    const after = finishRun(stores, id);
    const changed = before ? compare(before, after) : [];
    const isFlagAnother = before !== null && before.flagged !== after.flagged;
    if (changed.length > 0 || isFlagAnother) {
      stores.runs.noteRedefined(id, { at, changes: changed, flagBefore: before?.flagged ?? false });
    }
  } catch (error) {
    // Damaged evidence: its figures stay what they were.
    if (!(error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError))
      throw error;
    stores.runs.markDefined(id, definitionsVersion);
  }
}

function compare(before: RunSummary, after: RunSummary): Redefined['changes'] {
  return Object.entries(before.metrics).flatMap(([metric, old]) => {
    const now = after.metrics[metric] ?? null;
    if (old === null || (now !== null && Math.abs(now - old) <= rounding * Math.abs(old))) return [];
    return [{ metric, before: old, after: now }];
  });
}
