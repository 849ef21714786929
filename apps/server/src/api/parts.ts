import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { Preflight, Version } from '@mqttlab/shared/messages/http';
import type { SetAside } from '@mqttlab/shared/messages/set-aside';
import type { AuthorityRotation } from '@mqttlab/shared/messages/tls';
import type { Logger } from 'pino';
import type { Conductor, LiveBus, Testbeds } from '../base/ports.ts';
import type { DeviceStates } from '../devices/device-states.ts';
import type { TestbedService } from '../devices/testbed-service.ts';
import type { BundleService } from '../exchange/bundle-service.ts';
import type { Certificates } from '../provisioning/certificates.ts';
import type { ImportService } from '../provisioning/import-service.ts';
import type { RemoteDevices } from '../provisioning/remote-devices.ts';
import type { AnswerService } from '../results/answer-service.ts';
import type { ExperimentStore } from '../store/experiments/experiment-store.ts';
import type { StudyStore } from '../store/experiments/study-store.ts';
import type { RunFileStore } from '../store/runs/run-file-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import type { AccountStore } from '../store/settings/account-store.ts';
import type { BrokerStore } from '../store/settings/broker-store.ts';
import type { ChangeStore } from '../store/settings/change-store.ts';
import type { DeviceSettingsStore } from '../store/settings/device-settings-store.ts';
import type { DeviceStore } from '../store/settings/device-store.ts';
import type { EnrolmentStore } from '../store/settings/enrolment-store.ts';
import type { ExternalDeviceStore } from '../store/settings/external-device-store.ts';
import type { IdempotencyStore } from '../store/settings/idempotency-store.ts';
import type { SessionStore } from '../store/settings/session-store.ts';
import type { ShareStore, ViewStore } from '../store/settings/share-store.ts';
import type { SignerStore } from '../store/settings/signer-store.ts';
import type { StorageStore } from '../store/settings/storage-store.ts';
import type { TokenStore } from '../store/settings/token-store.ts';
import type { WebhookService } from '../webhooks/webhook-service.ts';
import type { Gate } from './guards/gate.ts';

/** What the routes are made of; app.ts puts the real ones in. */
export interface ApiParts {
  experiments: ExperimentStore;
  runs: RunStore;
  runFiles: RunFileStore;
  shares: ShareStore;
  tokens: TokenStore;
  accounts: AccountStore;
  sessions: SessionStore;
  changes: ChangeStore;
  devices: DeviceStore;
  deviceSettings: DeviceSettingsStore;
  /** Has the agent of a device connect anew, and hear what was said about it meanwhile. */
  redial(deviceId: string): void;
  /** Reports of agents that were refused because they are not theirs, by kind. */
  refusedReports(): Readonly<Record<string, number>>;
  brokers: BrokerStore;
  externalDevices: ExternalDeviceStore;
  /** Of the brokers of runs. */
  certificates: Pick<Certificates, 'forBroker'>;
  testbeds: Testbeds;
  /** How each device is. */
  deviceStates: Pick<DeviceStates, 'of'>;
  /** Results that this server refused, as their devices keep them. */
  setAside: {
    of(deviceId: string): readonly SetAside[];
    /** As a text; null where it is gone or the device is offline. Rejects with AgentError. */
    fetch(deviceId: string, name: string): Promise<string | null>;
  };
  enrolments: EnrolmentStore;
  remoteDevices: RemoteDevices;
  testbedService: TestbedService;
  importService: ImportService;
  conductor: Pick<Conductor, 'act' | 'noteQueued'>;
  bus: Pick<LiveBus, 'publish'>;
  /** Throws a 409 problem while the testbed is in use. */
  preflight(plan: Plan, signal: AbortSignal): Promise<Preflight>;
  answers: AnswerService;
  bundles: BundleService;
  views: ViewStore;
  studies: StudyStore;
  idempotency: IdempotencyStore;
  storage: StorageStore;
  signers: SignerStore;
  /** What no answer may hold. */
  knownSecrets(): string[];
  webhooks: WebhookService;
  /** Replaces the server's own authority. Rejects with a 409 problem if that is not possible now. */
  rotateAuthority(): Promise<AuthorityRotation>;
  gate: Gate;
  /** Closes the live connections of those whose token or session has ended. */
  recheckViewers(): void;
  version: Version;
  /** Free bytes where the data lies; null where that cannot be told. */
  diskFreeBytes(): Promise<number | null>;
  logger: Logger;
  now(): number;
}
