import { randomBytes } from 'node:crypto';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import { finishRun } from '../results/finish-run.ts';
import type { AnalysisStores } from '../results/select-runs.ts';
import { databasePath } from '../store/data-folder.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { makeExperimentStore } from '../store/experiments/experiment-store.ts';
import { makeStudyStore } from '../store/experiments/study-store.ts';
import { makeRunFileStore } from '../store/runs/run-file-store.ts';
import { makeRunStore } from '../store/runs/run-store.ts';
import { listSecrets, makeSecretBox, openSecretBox } from '../store/secret-box.ts';
import { makeAccountStore } from '../store/settings/account-store.ts';
import { makeBrokerStore } from '../store/settings/broker-store.ts';
import { makeChangeStore } from '../store/settings/change-store.ts';
import { makeDeviceSettingsStore, makeSshDeviceStore } from '../store/settings/device-settings-store.ts';
import { makeDeviceStore } from '../store/settings/device-store.ts';
import { makeEnrolmentStore } from '../store/settings/enrolment-store.ts';
import { makeExternalDeviceStore } from '../store/settings/external-device-store.ts';
import { makeIdempotencyStore } from '../store/settings/idempotency-store.ts';
import { makeSessionStore } from '../store/settings/session-store.ts';
import { makeShareStore, makeViewStore } from '../store/settings/share-store.ts';
import { makeSignerStore } from '../store/settings/signer-store.ts';
import { makeStorageStore } from '../store/settings/storage-store.ts';
import { makeTestbedStore } from '../store/settings/testbed-store.ts';
import { makeTokenStore } from '../store/settings/token-store.ts';
import { makeWebhookStore } from '../store/settings/webhook-store.ts';
import { makeTestDraft, makeTestPlan } from './experiment-factory.ts';
import { makeTestResult, type ResultShape } from './result-factory.ts';

/** Every store over one real database, in memory unless a data folder is given. */
export function makeTestStores(now: () => number = Date.now, folder: string | null = null) {
  const database = openDatabase(folder === null ? ':memory:' : databasePath(folder));
  const secrets = folder === null ? makeSecretBox(randomBytes(32)) : openSecretBox(folder);
  const devices = makeDeviceStore(database, { now });
  return {
    database,
    experiments: makeExperimentStore(database, { now }),
    runs: makeRunStore(database, { now }),
    runFiles: makeRunFileStore(database, { secrets }),
    shares: makeShareStore(database, { now }),
    views: makeViewStore(database, { now }),
    studies: makeStudyStore(database, { now }),
    knownSecrets: () => listSecrets(database, secrets),
    signers: makeSignerStore(database, { now }),
    storage: makeStorageStore(database, { now }),
    idempotency: makeIdempotencyStore(database, { now }),
    tokens: makeTokenStore(database, { now }),
    accounts: makeAccountStore(database, { now }),
    sessions: makeSessionStore(database, { now }),
    changes: makeChangeStore(database, { now }),
    webhookStore: makeWebhookStore(database, { now, secrets }),
    devices,
    enrolments: makeEnrolmentStore(database, { now }),
    testbedStore: makeTestbedStore(database, { now }),
    brokers: makeBrokerStore(database, { now, secrets }),
    externalDevices: makeExternalDeviceStore(database, { now, secrets }),
    sshDevices: makeSshDeviceStore(database),
    deviceSettings: makeDeviceSettingsStore(database),
  } satisfies Record<string, unknown> & { database: Database };
}

export interface Played {
  id: number;
  plan: Plan;
  runs: RunSummary[];
}

/**
 * Plays a whole experiment: every trial gets the results of three devices and is finished by the real analysis.
 * `shape` says how each run went; null leaves the trial failed.
 */
export function playExperiment(
  stores: AnalysisStores,
  change: Partial<ExperimentDraft> = {},
  shape: (treatmentIndex: number, block: number) => Omit<ResultShape, 'spec'> | null = () => ({}),
): Played {
  const { id } = stores.experiments.create(makeTestDraft(change));
  const plan = makeTestPlan(change);
  stores.experiments.savePlan(id, plan);
  stores.experiments.update(id, { status: 'running', startedAt: 1000 });
  const runs = plan.trials.map(({ number: trialNumber, block, treatmentKey }) => {
    const run = stores.runs.create({
      experimentId: id,
      trialNumber,
      block,
      treatmentKey,
      attempt: 1,
      retryOf: null,
    });
    const index = plan.treatments.findIndex(({ key }) => key === treatmentKey);
    const how = shape(index, block);
    stores.runs.update(run.id, { status: 'collecting', startedAt: 1000 + trialNumber });
    for (const role of ['broker', 'publisher', 'subscriber'] as const) {
      const { spec } = plan.treatments[index]!;
      if (how) stores.runs.saveResult(run.id, `local-${role}`, makeTestResult(role, { ...how, spec }));
    }
    if (how) finishRun(stores, run.id);
    const failure = how
      ? null
      : { code: 'broker-died', message: 'The broker died.', remedy: 'Look at its log.' };
    stores.runs.update(run.id, {
      status: how ? 'done' : 'failed',
      finishedAt: 2000 + trialNumber,
      measuredAt: 1500,
      overheadMs: 400,
      failure,
    });
    return stores.runs.find(run.id)!;
  });
  stores.experiments.update(id, { status: 'done', finishedAt: 9000 });
  return { id, plan, runs };
}
