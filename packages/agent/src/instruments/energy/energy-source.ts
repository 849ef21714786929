import { readFileSync } from 'node:fs';
import type { PowerSample } from '@mqttlab/shared/analysis/integrate-energy';
import type { EnergyQuality } from '@mqttlab/shared/domain/devices/capabilities';
import type { Clock } from '../../load/pacing/clock.ts';
import type { fetchMeter } from '../../processes/network.ts';
import type { RunCommand } from '../../processes/programs.ts';

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
  fetch: typeof fetchMeter;
  /** Of a meter on the network, for example http://192.0.2.7; null where there is none. */
  meterUrl: string | null;
  /** Network interfaces that carry the load of the Run. */
  interfaceNames: readonly string[];
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
type Availability = { available: true; detail: string } | { available: false; problem: EnergyProblem };

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

/** A sensor that is read for each sample; the time of a sample is half-way between request and answer. */
export function makePolledSource({
  clock,
  read,
  describe,
  find = () => {},
}: {
  clock: Clock;
  read: () => number | EnergyProblem | Promise<number | EnergyProblem>;
  /** Which sensor answered. */
  describe: () => string;
  /** Looks which sensor there is, at each start. */
  find?: () => void;
}): EnergySource {
  return {
    async probe() {
      find();
      const power = await read();
      return isAvailable(typeof power === 'number' ? describe() : power);
    },
    start: async () => find(),
    async sample() {
      const beforeUs = clock.nowUs();
      const power = await read();
      return makeSample((beforeUs + clock.nowUs()) / 2, power);
    },
    stop: async () => {},
  };
}

export function isAvailable(found: string | EnergyProblem): Availability {
  return typeof found === 'string'
    ? { available: true, detail: found }
    : { available: false, problem: found };
}

/** A whole number in a file of /sys; what does not read as one is a problem with its reason. */
export function readSensorFile(path: string): number | EnergyProblem {
  let text: string;
  try {
    text = readFileSync(path, 'latin1').trim();
  } catch (error) {
    return problemOf(error, path);
  }
  if (!/^-?\d{1,15}$/.test(text)) return { code: 'nonsense', message: `${path} says "${text.slice(0, 40)}"` };
  return Number(text);
}

function problemOf(error: unknown, path: string): EnergyProblem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'EACCES' || code === 'EPERM') {
    return { code: 'no-permission', message: `${path} may not be read by this user (${code})` };
  }
  return { code: 'vanished', message: `${path} can no longer be read (${code})` };
}

/** Power as a sum: idle, plus so much for each busy core, plus so much for each Mbit/s that passes a link. */
export interface PowerModel {
  /** The machine that the figures belong to. */
  board: string;
  source: string;
  idleW: number;
  busyCoreW: number;
  /** Sent and received together; null where the source gives no figure, which then adds nothing. */
  wattsPerMbit: Readonly<Record<LinkMedium, number | null>>;
}

export type LinkMedium = 'wifi' | 'ethernet';

/**
 * Raspberry Pi 4 Model B. 540 mA idle and 1,280 mA with all four cores busy, at 5 V. For Wi-Fi the only published
 * slope is of an older board with a USB adapter: 4.813 mW per Mbit/s in either direction.
 */
export const raspberryPi4B: PowerModel = {
  board: 'Raspberry Pi 4B',
  source:
    'Geerling, "Power Consumption Benchmarks", pidramble.com (idle 2.7 W, stress --cpu 4: 6.4 W); Wi-Fi: Kaup, ' +
    'Gottschling, Hausheer, "PowerPi", LCN 2014 (4.813 mW per Mbit/s, Raspberry Pi B); Ethernet: no figure, counted as 0',
  idleW: 2.7,
  busyCoreW: (6.4 - 2.7) / 4,
  wattsPerMbit: { wifi: 4.813e-3, ethernet: null },
};

interface Activity {
  /** Cores that were busy on average, for example 1.3. */
  busyCores: number;
  mbitPerSecond: Readonly<Record<LinkMedium, number>>;
}

export function estimatePowerW(model: PowerModel, { busyCores, mbitPerSecond }: Activity): number {
  const { wifi, ethernet } = model.wattsPerMbit;
  return (
    model.idleW +
    model.busyCoreW * busyCores +
    (wifi ?? 0) * mbitPerSecond.wifi +
    (ethernet ?? 0) * mbitPerSecond.ethernet
  );
}
