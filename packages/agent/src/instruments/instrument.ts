import type {
  AgentCapabilities,
  EnergyCapability,
  NetworkInterface,
  TimeService,
} from '@mqttlab/shared/domain/devices/capabilities';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type {
  ClockOffset,
  PhaseRecord,
  RoleFailure,
  RoleResult,
} from '@mqttlab/shared/domain/runs/role-result';
import type { StartLoad } from '@mqttlab/shared/messages/agent';
import type { DeviceSettings } from '@mqttlab/shared/messages/device-settings';
import type { Clock } from '../load/pacing/clock.ts';
import type { ChildRecords } from '../processes/child-records.ts';
import type { Collector } from './sampler.ts';

/** The device that an instrument measures. */
export interface MeasuredDevice {
  clock: Clock;
  procRoot: string;
  sysRoot: string;
  records: ChildRecords;
  sensors: Sensors;
  capture: CaptureOffer;
}

/** Sensors and other sources of measurements that were detected on this device. */
export interface Sensors {
  /** Energy sources and their settings; they change with the settings of the device on the server. */
  readonly power: PowerSensors;
  /** Detects energy sources again if the settings have changed. */
  follow(settings: DeviceSettings): Promise<void>;
  /** Why hardware counters are not available; null if they are. */
  perfRefusal: string | null;
  throttling: ThrottlingSource | null;
  /** At most a minute old; null if the device has none. */
  timeService(): TimeService | null;
}

export interface PowerSensors extends Pick<DeviceSettings, 'energySource' | 'batteryMah'> {
  /** Address of a meter on the network. */
  meterUrl: string | null;
  /** Voltage of the supply. */
  supplyVolts: number | null;
  /** Sources that answer, best first. */
  found: readonly EnergyCapability[];
}

/** One reading: the current state, and a counter that only increases. */
export interface ThrottlingReading {
  active: string[];
  /** Since boot; null if the source does not count. */
  count: number | null;
}

export interface ThrottlingSource {
  name: string;
  /** Interval in ms, longer for programs than for files. */
  everyMs: number;
  read(): Promise<ThrottlingReading>;
}

export interface CaptureProgram {
  name: 'tcpdump' | 'dumpcap';
  path: string;
  /** "tcpdump 4.99.3". */
  version: string;
}

export interface CaptureOffer {
  program: CaptureProgram | null;
  /** Why this device cannot capture packets; null if it can. */
  refusal: string | null;
}

/** One role of one run, as instruments need it. */
export interface MeasuredRole {
  device: MeasuredDevice;
  capabilities: AgentCapabilities;
  /** Interface that carries the load. */
  link: NetworkInterface;
  spec: TrialSpec;
  /** Testbed clock minus the clock of this device. */
  clock: ClockOffset;
  /** Energy source that the user chose for this device; null: the best one. */
  energySource: string | null;
  /** Folder for files that are sent to the server with the result. The first instrument that writes a file creates it. */
  filesFolder: string;
  milestone: (text: string) => void;
  /** Ends the run. */
  onFailure: (failure: RoleFailure) => void;
}

/** Processes of the role, known when the load starts. */
export interface MeasuredProcesses {
  /** The MQTT processes, the main one first; empty if they are not known. */
  pids: readonly number[];
  /** Processes of the agent that help with measuring and carry no load themselves. */
  helpers: readonly number[];
}

/** How often a collector is read: at the rate of the trial (10 Hz by default), every second, or every five seconds. */
export type SampleRate = 'trial' | 'slow' | 'rare';

/** Part of a result. */
export type Contribution = Partial<Omit<RoleResult, 'role'>>;

/**
 * Measures one quantity on the device during the load: one file, and one line in `role-instruments.ts`. Every
 * method is optional, and they are called in this order. An error in `stop` or `contribute` is reported under
 * `degraded`; the run continues.
 */
export interface Instrument {
  /** Name under `degraded`. */
  readonly name: string;
  /** The device is idle. If it throws, the run fails. */
  prepare?(): Promise<void>;
  /** The broker of this role listens on `port`, and no client is connected yet. */
  listen?(port: number): Promise<void>;
  /** Metrics to sample during the run. */
  collectors?(processes: MeasuredProcesses): readonly (readonly [SampleRate, Collector | null])[];
  /** Before the warm-up. */
  start?(at: StartLoad, processes: MeasuredProcesses): void;
  /** After the load; the processes are still running. */
  stop?(): void | Promise<void>;
  /** Returns its part of the result after the load has ended. `phases` are those of the load. */
  contribute?(phases: PhaseRecord[]): Contribution | Promise<Contribution>;
}

/** Makes an instrument for one role of one run; null if there is nothing to measure. Throws Failure. */
export type MakeInstrument = (role: MeasuredRole) => Instrument | null;

/**
 * Returns the result with all parts: lists are joined, facts and histograms are added, all other fields are replaced.
 */
export function mergeParts(result: RoleResult, ...parts: readonly Contribution[]): RoleResult {
  const merged = { ...result };
  for (const part of parts) {
    const { series, degraded, environment, histograms, files } = merged;
    Object.assign(merged, part, {
      series: [...series, ...(part.series ?? [])],
      degraded: [...degraded, ...(part.degraded ?? [])],
      environment: { ...environment, ...part.environment },
      histograms: { ...histograms, ...part.histograms },
      ...(part.files && { files: [...(files ?? []), ...part.files] }),
    });
  }
  return merged;
}
