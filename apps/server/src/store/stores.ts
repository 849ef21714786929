import type { Database } from './database.ts';
import { makeExperimentStore } from './experiments/experiment-store.ts';
import { makeStudyStore } from './experiments/study-store.ts';
import { makeRunFileStore } from './runs/run-file-store.ts';
import { makeRunStore } from './runs/run-store.ts';
import { listSecrets, type SecretBox } from './secret-box.ts';
import {
  makeAccountStore,
  makeChangeStore,
  makeIdempotencyStore,
  makeSessionStore,
  makeTokenStore,
} from './settings/access-store.ts';
import {
  makeDeviceSettingsStore,
  makeDeviceStore,
  makeEnrolmentStore,
  makeSshDeviceStore,
} from './settings/device-store.ts';
import { makeAuthorshipStore, makeSignerStore, makeStorageStore } from './settings/settings-store.ts';
import { makeShareStore, makeViewStore } from './settings/share-store.ts';
import { makeBrokerStore, makeExternalDeviceStore, makeTestbedStore } from './settings/testbed-store.ts';
import { makeWebhookStore } from './settings/webhook-store.ts';

export type Stores = ReturnType<typeof makeStores>;

/** Creates every store of one database. `now` is the clock for their timestamps, in Unix ms. */
export function makeStores(database: Database, secrets: SecretBox, now: () => number = Date.now) {
  return {
    database,
    experiments: makeExperimentStore(database, { now }),
    runs: makeRunStore(database, { now }),
    runFiles: makeRunFileStore(database, { secrets }),
    devices: makeDeviceStore(database, { now }),
    deviceSettings: makeDeviceSettingsStore(database),
    sshDevices: makeSshDeviceStore(database),
    enrolments: makeEnrolmentStore(database, { now }),
    testbeds: makeTestbedStore(database, { now }),
    brokers: makeBrokerStore(database, { now, secrets }),
    externalDevices: makeExternalDeviceStore(database, { now, secrets }),
    shares: makeShareStore(database, { now }),
    views: makeViewStore(database, { now }),
    studies: makeStudyStore(database, { now }),
    knownSecrets: () => listSecrets(database, secrets),
    signers: makeSignerStore(database, { now }),
    authorship: makeAuthorshipStore(database),
    storage: makeStorageStore(database, { now }),
    idempotency: makeIdempotencyStore(database, { now }),
    tokens: makeTokenStore(database, { now }),
    accounts: makeAccountStore(database, { now }),
    sessions: makeSessionStore(database, { now }),
    changes: makeChangeStore(database, { now }),
    webhooks: makeWebhookStore(database, { now, secrets }),
  };
}
