import type { Database } from './store/database.ts';
import { makeExperimentStore } from './store/experiments/experiment-store.ts';
import { makeStudyStore } from './store/experiments/study-store.ts';
import { makeRunFileStore } from './store/runs/run-file-store.ts';
import { makeRunStore } from './store/runs/run-store.ts';
import type { SecretBox } from './store/secret-box.ts';
import { listSecrets } from './store/secret-box.ts';
import { makeAccountStore } from './store/settings/account-store.ts';
import { makeBrokerStore } from './store/settings/broker-store.ts';
import { makeChangeStore } from './store/settings/change-store.ts';
import { makeDeviceSettingsStore, makeSshDeviceStore } from './store/settings/device-settings-store.ts';
import { makeDeviceStore } from './store/settings/device-store.ts';
import { makeEnrolmentStore } from './store/settings/enrolment-store.ts';
import { makeExternalDeviceStore } from './store/settings/external-device-store.ts';
import { makeIdempotencyStore } from './store/settings/idempotency-store.ts';
import { makeSessionStore } from './store/settings/session-store.ts';
import { makeShareStore, makeViewStore } from './store/settings/share-store.ts';
import { makeSignerStore } from './store/settings/signer-store.ts';
import { makeStorageStore } from './store/settings/storage-store.ts';
import { makeTestbedStore } from './store/settings/testbed-store.ts';
import { makeTokenStore } from './store/settings/token-store.ts';
import { makeWebhookStore } from './store/settings/webhook-store.ts';

export type Stores = ReturnType<typeof makeStores>;

/** Everything that is kept in the database. */
export function makeStores(database: Database, secrets: SecretBox) {
  return {
    experiments: makeExperimentStore(database),
    runs: makeRunStore(database),
    runFiles: makeRunFileStore(database, { secrets }),
    devices: makeDeviceStore(database),
    deviceSettings: makeDeviceSettingsStore(database),
    sshDevices: makeSshDeviceStore(database),
    enrolments: makeEnrolmentStore(database),
    testbeds: makeTestbedStore(database),
    brokers: makeBrokerStore(database, { secrets }),
    externalDevices: makeExternalDeviceStore(database, { secrets }),
    shares: makeShareStore(database),
    views: makeViewStore(database),
    studies: makeStudyStore(database),
    knownSecrets: () => listSecrets(database, secrets),
    signers: makeSignerStore(database),
    storage: makeStorageStore(database),
    idempotency: makeIdempotencyStore(database),
    tokens: makeTokenStore(database),
    accounts: makeAccountStore(database),
    sessions: makeSessionStore(database),
    changes: makeChangeStore(database),
    webhooks: makeWebhookStore(database, { secrets }),
  };
}
