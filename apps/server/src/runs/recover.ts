import { isFinished } from '@mqttlab/shared/domain/experiment';
import type { ExperimentStore, RunStore } from '../ports.ts';
import type { Teller } from './tell.ts';

export interface RecoverDependencies {
  experiments: Pick<ExperimentStore, 'find'>;
  runs: Pick<RunStore, 'listUnsettled' | 'listOf' | 'update'>;
  tell: Teller;
  nowMs: () => number;
}

const interruption = {
  code: 'interrupted',
  message: 'The server ended in the middle of the run.',
  remedy: 'Nothing is to be done: the trial is run again, and a result that still arrives corrects this run.',
};

const neverBegun = {
  code: 'cancelled',
  message: 'It was planned and never begun.',
  remedy: 'Retry it when it is needed.',
};

/**
 * Settles every Run that an earlier life of the server left under way, before anything else is done, and returns their
 * ids. Retries that were planned but not begun stay planned. Throws StorageError.
 */
export function settleInterrupted(deps: RecoverDependencies): number[] {
  const { runs, experiments, tell, nowMs } = deps;
  const unsettled = runs.listUnsettled();
  const over = (experimentId: number) => isFinished(experiments.find(experimentId)?.status ?? 'cancelled');
  for (const experimentId of new Set(unsettled.map((run) => run.experimentId))) {
    if (over(experimentId)) dropPlanned(deps, experimentId);
  }
  const interrupted = unsettled.filter(({ status }) => status !== 'planned');
  for (const { id, experimentId } of interrupted) {
    const at = nowMs();
    runs.update(id, { status: 'interrupted', failure: interruption, finishedAt: at });
    const text = `Run ${id} was interrupted: ${interruption.message}`;
    tell.log({ experimentId, runId: id, line: { at, level: 'warn', source: 'server', text } });
  }
  return interrupted.map(({ id }) => id);
}

/** Settles the retries of an experiment that were asked for and will not happen. Throws StorageError. */
export function dropPlanned({ runs, tell, nowMs }: RecoverDependencies, experimentId: number): void {
  for (const { id, status } of runs.listOf(experimentId)) {
    if (status !== 'planned') continue;
    runs.update(id, { status: 'cancelled', failure: neverBegun, finishedAt: nowMs() });
    tell.run(id);
  }
}
