import type { PowerSample } from '@mqttlab/shared/analysis/integrate-energy';
import type { EnergyQuality } from '@mqttlab/shared/domain/devices/capabilities';
import type { Clock } from '../pacing/clock.ts';
import type { RunCommand } from '../runs/run-command.ts';
import type { PowerModel } from './power-model.ts';

/** A way to learn what a device draws. One file each, one line each in energy-sources.ts. */
export interface EnergySourceDefinition {
  /** Stored in results: never renamed. */
  id: string;
  label: string;
  quality: EnergyQuality;
  /** What is inside the figure, and what is not. */
  covers: string;
  /** Whether `EnergyEnvironment.meterUrl` must be given. */
  needsAddress: boolean;
  /** Asking more often brings nothing new. */
  minIntervalMs: number;
  /** Coefficients, where the source is an estimate; null where it looks at a sensor. */
  model: PowerModel | null;
  make(environment: EnergyEnvironment): EnergySource;
}

/** Where a source finds its device; everything that a test replaces. */
export interface EnergyEnvironment {
  clock: Clock;
  /** Usually /sys. */
  sysRoot: string;
  /** Usually /proc. */
  procRoot: string;
  runCommand: RunCommand;
  /** Redirects are not followed. Rejects where nobody answers. */
  fetch: (url: URL, options: { signal: AbortSignal }) => Promise<MeterAnswer>;
  /** Of a meter on the network, for example http://192.0.2.7; null where there is none. */
  meterUrl: string | null;
  /** Network interfaces that carry the load of the Run. */
  interfaceNames: readonly string[];
}

export interface MeterAnswer {
  status: number;
  /** 2xx. */
  ok: boolean;
  text: string;
}

/** `start` and `stop` may be called in any order and more than once; nothing here rejects. */
export interface EnergySource {
  probe(): Promise<Availability>;
  /** Energy is counted from here. */
  start(): Promise<void>;
  sample(): Promise<EnergySample>;
  stop(): Promise<void>;
}

/** `detail` says which sensor was found. */
export type Availability = { available: true; detail: string } | { available: false; problem: EnergyProblem };

/** On this device's clock; without power when there is a problem, or an earlier sample to compare with is needed. */
export interface EnergySample extends PowerSample {
  problem: EnergyProblem | null;
}

/** Why there is no number; `message` is for people. */
export interface EnergyProblem {
  code: 'not-found' | 'no-permission' | 'vanished' | 'unreachable' | 'nonsense';
  message: string;
}

/** A figure above this is no Raspberry Pi, no PC and no fuse either. */
const maxPowerW = 5_000;

/** Takes a power that came from outside: finite, not negative and possible; anything else is nonsense. */
export function checkPower(powerW: number, from: string): number | EnergyProblem {
  if (powerW >= 0 && powerW <= maxPowerW) return powerW;
  return { code: 'nonsense', message: `${from} says ${powerW} W` };
}

export function makeSample(atUs: number, power: number | EnergyProblem): EnergySample {
  if (typeof power === 'number') return { atUs, powerW: power, energyJ: null, problem: null };
  return { atUs, powerW: null, energyJ: null, problem: power };
}

export function isAvailable(found: string | EnergyProblem): Availability {
  return typeof found === 'string'
    ? { available: true, detail: found }
    : { available: false, problem: found };
}
