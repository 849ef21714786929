import { isComplete } from '@mqttlab/shared/catalogue/evidence/evidence';
import type { Failure, RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { RunStore } from '../ports.ts';
import type { RunEvents } from './run-events.ts';

/** How a Run went by the results that are stored of it; null while one is missing. */
export function outcomeOfStored(
  runs: Pick<RunStore, 'results' | 'devicesOf'>,
  runId: number,
): { failure: Failure | null } | null {
  const results = runs.results(runId);
  const participants = [...runs.devicesOf(runId).values()];
  if (!isComplete(results, participants)) return null;
  return { failure: results.find(({ failure }) => failure !== null)?.failure ?? null };
}

export interface LateRunDependencies {
  runs: Pick<RunStore, 'listOf' | 'update'>;
  finishRun: (runId: number) => void;
  tell: RunEvents;
  nowMs: () => number;
  /** The trial of this Run is done: later attempts at it are not needed. */
  stopNeedless: (run: RunSummary) => void;
}

/** A Run that had been given up is done after all, unless a later attempt at its trial is. Throws StorageError. */
export function settleLateRun(deps: LateRunDependencies, run: RunSummary): void {
  const { runs, tell } = deps;
  const { id, experimentId, trialNumber } = run;
  const log = (text: string): void => {
    const line = { at: deps.nowMs(), level: 'info' as const, source: 'server', text };
    tell.log({ experimentId, runId: id, line });
  };
  const instead = runs
    .listOf(experimentId)
    .find((other) => other.trialNumber === trialNumber && other.id > id && other.status === 'done');
  if (instead) {
    log(`The results of run ${id} arrived late; its trial was done as run ${instead.id}, which counts`);
    return;
  }
  deps.finishRun(id);
  runs.update(id, { status: 'done', failure: null });
  log(`The results of run ${id} arrived late; it is done after all and counts`);
  tell.run(id);
  deps.stopNeedless(run);
}
