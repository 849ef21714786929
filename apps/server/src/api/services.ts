import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { Preflight, Version } from '@mqttlab/shared/messages/http';
import type { AuthorityRotation } from '@mqttlab/shared/messages/tls';
import type { Logger } from 'pino';
import type { AgentHub } from '../devices/agent-hub.ts';
import type { DeviceStates } from '../devices/device-states.ts';
import type { TestbedService } from '../devices/testbed-service.ts';
import type { Testbeds } from '../devices/testbeds.ts';
import type { BundleService } from '../exchange/bundle-service.ts';
import type { Live } from '../live/live.ts';
import type { Certificates } from '../provisioning/certificates.ts';
import type { ImportService } from '../provisioning/import-service.ts';
import type { RemoteDevices } from '../provisioning/remote-devices.ts';
import type { AnswerService } from '../results/answer-service.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { Stores } from '../store/stores.ts';
import type { Gate } from './guards/gate.ts';

/** Dependencies of the routes. */
export interface Services {
  stores: Stores;
  gate: Gate;
  live: Live;
  devices: DeviceServices;
  scheduler: Scheduler;
  answers: AnswerService;
  bundles: BundleService;
  system: System;
}

interface DeviceServices {
  agents: AgentHub;
  testbeds: Testbeds;
  states: DeviceStates;
  /** Devices that are added over SSH. */
  remote: RemoteDevices;
  /** Defines testbeds. */
  setup: TestbedService;
  /** Adds the devices of an inventory. */
  imports: ImportService;
  /** Certificates for the brokers of runs. */
  certificates: Certificates;
  /** Runs a pre-flight. Rejects with a 409 problem while the testbed is in use. */
  preflight(plan: Plan, signal: AbortSignal): Promise<Preflight>;
}

/** The server itself. */
interface System {
  version: Version;
  logger: Logger;
  /**
   * Returns the origin for links to the page; `reached` is the origin that the caller uses. Returns null if
   * other machines cannot open the page.
   */
  publicOrigin(reached: string): string | null;
  /** Returns the certificate of this server's own authority, PEM, and its fingerprint; null if it has none. */
  authority(): { certificate: string; fingerprint: string } | null;
  /** Unix ms. */
  now(): number;
  /** Returns the number of free bytes on the disk of the data folder; null if unknown. */
  diskFreeBytes(): Promise<number | null>;
  /**
   * Replaces the server's certificate authority. Rejects with a 409 problem if that is currently not
   * possible.
   */
  rotateAuthority(): Promise<AuthorityRotation>;
  saveStorageSettings: Stores['storage']['saveStorageSettings'];
}
