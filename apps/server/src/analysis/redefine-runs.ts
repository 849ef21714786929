import { setImmediate as breathe } from 'node:timers/promises';
import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import type { Redefined, RunSummary } from '@mqttlab/shared/domain/runs/run';
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
  {
    onDone,
    onError,
    now,
  }: { onDone: (runs: number) => void; onError: (error: unknown) => void; now: () => number },
) {
  return startBackgroundWork(async (isStopped) => {
    let count = 0;
    stores.runs.markWithoutEvidence(definitionsVersion);
    while (!isStopped()) {
      const [id] = stores.runs.listOfEarlierDefinitions(definitionsVersion, 1);
      if (id === undefined) break;
      redefine(stores, id, now());
      count += 1;
      await breathe();
    }
    if (count > 0) onDone(count);
  }, onError);
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
