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

/** Sensors and other measurement sources detected on this device. */
export interface Sensors {
  /** Energy sources and their settings, which change with the device's settings on the server. */
  readonly power: PowerSensors;
  /** Detects energy sources again if the settings have changed. */
  follow(settings: DeviceSettings): Promise<void>;
  /** Reason why hardware counters are not available; null if they are. */
  perfRefusal: string | null;
  throttling: ThrottlingSource | null;
  /** Returns a clock state that is at most a minute old; null if the device has no time service. */
  timeService(): TimeService | null;
}

export interface PowerSensors extends Pick<DeviceSettings, 'energySource' | 'batteryMah'> {
  /** Address of a meter on the network. */
  meterUrl: string | null;
  /** Supply voltage. */
  supplyVolts: number | null;
  /** Sources that respond, best first. */
  found: readonly EnergyCapability[];
}

/** One reading: the current state, and a counter that only increases. */
export interface ThrottlingReading {
  active: string[];
  /** Count since boot; null if the source does not count. */
  count: number | null;
}

export interface ThrottlingSource {
  name: string;
  /** Interval in ms, which is longer for programs than for files. */
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
  /** Reason why this device cannot capture packets; null if it can. */
  refusal: string | null;
}

/** The information about one role in one run that instruments need. */
export interface MeasuredRole {
  device: MeasuredDevice;
  capabilities: AgentCapabilities;
  /** Interface that carries the load. */
  link: NetworkInterface;
  spec: TrialSpec;
  /** Testbed clock minus this device's clock. */
  clock: ClockOffset;
  /** Energy source that the user chose for this device; null for the best source. */
  energySource: string | null;
  /** Folder for files that are sent to the server with the result. The first instrument that writes a file creates it. */
  filesFolder: string;
  milestone: (text: string) => void;
  /** Ends the run. */
  onFailure: (failure: RoleFailure) => void;
}

/** Processes of the role, which are known when the load starts. */
export interface MeasuredProcesses {
  /** The MQTT processes, the main process first; empty if they are not known. */
  pids: readonly number[];
  /** Processes of the agent that help with measuring but carry no load. */
  helpers: readonly number[];
}

/**
 * How often a collector is read: at the trial's rate (10 Hz by default), every second, or every five seconds.
 */
export type SampleRate = 'trial' | 'slow' | 'rare';

/** Part of a result. */
export type Contribution = Partial<Omit<RoleResult, 'role'>>;

/**
 * Measures one quantity on the device during the load. To add an instrument, add a file and a line in
 * `role-instruments.ts`. Every method is optional; methods are called in this order. An error in `stop` or
 * `contribute` is reported under `degraded`; the run continues.
 */
export interface Instrument {
  /** Name under `degraded`. */
  readonly name: string;
  /** Called while the device is idle. If this method throws, the run fails. */
  prepare?(): Promise<void>;
  /** Called when the broker of this role listens on `port` and no client is connected yet. */
  listen?(port: number): Promise<void>;
  /** Returns the metrics to sample during the run. */
  collectors?(processes: MeasuredProcesses): readonly (readonly [SampleRate, Collector | null])[];
  /** Called before the warm-up. */
  start?(at: StartLoad, processes: MeasuredProcesses): void;
  /** Called after the load, while the processes are still running. */
  stop?(): void | Promise<void>;
  /**
   * Returns this instrument's part of the result after the load has ended. `phases` are the load's phases.
   */
  contribute?(phases: PhaseRecord[]): Contribution | Promise<Contribution>;
}

/**
 * Makes an instrument for one role in one run; returns null if there is nothing to measure. Throws Failure.
 */
export type MakeInstrument = (role: MeasuredRole) => Instrument | null;

/**
 * Returns the result combined with all parts: lists are joined, facts and histograms are added, all other
 * fields are replaced.
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
