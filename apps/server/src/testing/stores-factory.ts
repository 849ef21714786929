import { randomBytes } from 'node:crypto';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { LocalTestbed } from '../devices/local-testbed.ts';
import type { AnalysisStores } from '../results/compare.ts';
import { finishRun } from '../results/finish-run.ts';
import { type DataFolder, databasePath } from '../store/data-folder.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { makeSecretBox, openSecretBox } from '../store/secret-box.ts';
import { makeStores } from '../store/stores.ts';
import { makeTestDraft, makeTestPlan } from './experiment-factory.ts';
import { makeTestResult, type ResultShape } from './result-factory.ts';

/** Every store over one real database, in memory unless a data folder is given. */
export function makeTestStores(now: () => number = Date.now, folder: string | null = null) {
  const database = openDatabase(folder === null ? ':memory:' : databasePath(folder));
  const secrets = folder === null ? makeSecretBox(randomBytes(32)) : openSecretBox(folder);
  return makeStores(database, secrets, now);
}

/** A data folder whose database is already open, in memory if omitted. */
export function makeTestFolder(path: string, database: Database = openDatabase(':memory:')): DataFolder {
  return {
    path,
    database,
    watch: {
      trouble: () => null,
      onChange: () => () => undefined,
      beforeWrite: () => undefined,
      note: () => undefined,
      start: () => undefined,
      stop: () => undefined,
    },
    secrets: makeSecretBox(randomBytes(32)),
    unreadable: [],
    freeBytes: async () => 1e9,
    close: () => database.close(),
  };
}

/** No agents on this machine. */
export function makeNoAgents(): LocalTestbed {
  return { start: () => {}, moveTo: () => {}, stop: async () => {}, wake: () => {}, pidOf: () => null };
}

export interface Played {
  id: number;
  plan: Plan;
  runs: RunSummary[];
}

/** How the run of a treatment in a block went; null leaves the trial failed. */
type Shapes = (treatmentIndex: number, block: number) => Omit<ResultShape, 'spec'> | null;

/**
 * Plays a complete experiment: every trial gets the results of three devices and is completed by the real analysis.
 */
export function playExperiment(
  stores: AnalysisStores,
  change: Partial<ExperimentDraft> = {},
  shape: Shapes = () => ({}),
): Played {
  const { id } = stores.experiments.createExperiment(makeTestDraft(change));
  const plan = makeTestPlan(change);
  stores.experiments.savePlan(id, plan);
  return playPlan(stores, { id, plan }, shape);
}

/** Plays an experiment that already has its plan. */
export function playPlan(
  stores: AnalysisStores,
  { id, plan }: Pick<Played, 'id' | 'plan'>,
  shape: Shapes = () => ({}),
): Played {
  stores.experiments.updateExperiment(id, { status: 'running', startedAt: 1000 });
  const runs = plan.trials.map(({ number: trialNumber, block, treatmentKey }) => {
    const run = stores.runs.createRun({
      experimentId: id,
      trialNumber,
      block,
      treatmentKey,
      attempt: 1,
      retryOf: null,
    });
    const index = plan.treatments.findIndex(({ key }) => key === treatmentKey);
    const how = shape(index, block);
    stores.runs.updateRun(run.id, { status: 'collecting', startedAt: 1000 + trialNumber });
    for (const role of ['broker', 'publisher', 'subscriber'] as const) {
      const { spec } = plan.treatments[index]!;
      if (how) stores.runs.saveResult(run.id, `local-${role}`, makeTestResult(role, { ...how, spec }));
    }
    if (how) finishRun(stores, run.id);
    const failure = how
      ? null
      : { code: 'broker-died', message: 'The broker died.', remedy: 'Look at its log.' };
    stores.runs.updateRun(run.id, {
      status: how ? 'done' : 'failed',
      finishedAt: 2000 + trialNumber,
      measuredAt: 1500,
      overheadMs: 400,
      failure,
    });
    return stores.runs.findRun(run.id)!;
  });
  stores.experiments.updateExperiment(id, { status: 'done', finishedAt: 9000 });
  return { id, plan, runs };
}
