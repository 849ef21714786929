import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { Phase } from '@mqttlab/shared/domain/runs/phase';
import type { RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Connected, Drained, Progress, StartLoad } from '@mqttlab/shared/messages/agent';
import type { BrokerOffer, ProgramEntry } from '../brokers/broker.ts';
import type { Sensors } from '../capabilities/sensors.ts';
import type { ChildRecords } from '../children/child-records.ts';
import type { SpareWorker } from '../load-process/spare-worker.ts';
import type { Clock } from '../pacing/clock.ts';
import type { LinkShaper } from '../shaping/link-shaper.ts';
import type { RunLog } from './run-log.ts';

/** What the roles of every Run share: the device they run on. */
export interface Device {
  /** How this program starts itself again. */
  entry: ProgramEntry;
  clock: Clock;
  procRoot: string;
  sysRoot: string;
  records: ChildRecords;
  workers: SpareWorker;
  offers: readonly BrokerOffer[];
  sensors: Sensors;
  shaper: LinkShaper;
  /** As of now. */
  capabilities(): Promise<AgentCapabilities>;
}

/** What one role of one Run tells while it goes on. */
interface RunEvents {
  onPhase(phase: Phase, durationUs: number | null): void;
  onProgress(progress: Progress): void;
  /** Something broke that no command asked for. */
  onTrouble(failure: RoleFailure): void;
}

export interface RunContext {
  device: Device;
  /** The Run's own folder, removed afterwards by whoever made it. */
  folder: string;
  log: RunLog;
  events: RunEvents;
}

/** One role in one Run, from prepare to result. The trial runner sees to the order of the calls. */
export interface RoleRun {
  /** Throws RunFailure; `finish` must be called afterwards all the same. */
  prepare(): Promise<unknown>;
  /** Absent where a role has nothing to connect. */
  connect?(): Promise<Connected>;
  start(at: StartLoad): Promise<unknown>;
  drain(expected: number | null): Promise<Drained>;
  /** Ends everything that this role started, at any time, and says what there is. Never rejects. */
  finish(): Promise<RoleResult>;
}
