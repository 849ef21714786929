import type { Database } from './database.ts';
import { makeExperimentStore } from './experiments/experiment-store.ts';
import { makeStudyStore } from './experiments/study-store.ts';
import { makeRunFileStore } from './runs/run-file-store.ts';
import { makeRunStore } from './runs/run-store.ts';
import { listSecrets, type SecretBox } from './secret-box.ts';
import { makeAccountStore } from './settings/account-store.ts';
import { makeAuthorshipStore } from './settings/authorship-store.ts';
import { makeBrokerStore } from './settings/broker-store.ts';
import { makeChangeStore } from './settings/change-store.ts';
import { makeDeviceSettingsStore, makeSshDeviceStore } from './settings/device-settings-store.ts';
import { makeDeviceStore } from './settings/device-store.ts';
import { makeEnrolmentStore } from './settings/enrolment-store.ts';
import { makeExternalDeviceStore } from './settings/external-device-store.ts';
import { makeIdempotencyStore } from './settings/idempotency-store.ts';
import { makeSessionStore } from './settings/session-store.ts';
import { makeShareStore, makeViewStore } from './settings/share-store.ts';
import { makeSignerStore } from './settings/signer-store.ts';
import { makeStorageStore } from './settings/storage-store.ts';
import { makeTestbedStore } from './settings/testbed-store.ts';
import { makeTokenStore } from './settings/token-store.ts';
import { makeWebhookStore } from './settings/webhook-store.ts';

export type Stores = ReturnType<typeof makeStores>;

/** Every store of one database. `now`: the clock of their timestamps, Unix ms. */
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
