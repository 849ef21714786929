import { readFileSync } from 'node:fs';
import type { PowerSample } from '@mqttlab/shared/analysis/integrate-energy';
import type { EnergyQuality } from '@mqttlab/shared/domain/devices/capabilities';
import type { Clock } from '../../load/pacing/clock.ts';
import type { fetchMeter } from '../../processes/network.ts';
import type { RunCommand } from '../../processes/programs.ts';

/** A source of power readings. One file each, and one line each in energy-sources.ts. */
export interface EnergySourceDefinition {
  /** Stored in results: never rename it. */
  id: string;
  label: string;
  quality: EnergyQuality;
  /** Components that the figure includes and excludes. */
  covers: string;
  /** True if `EnergyEnvironment.meterUrl` is required. */
  needsAddress: boolean;
  /** Shortest useful interval: more frequent readings repeat the same value. */
  minIntervalMs: number;
  /** Coefficients of an estimate; null if the source reads a sensor. */
  model: PowerModel | null;
  make(environment: EnergyEnvironment): EnergySource;
}

/** Environment of a source; tests replace all of it. */
export interface EnergyEnvironment {
  clock: Clock;
  /** Usually /sys. */
  sysRoot: string;
  /** Usually /proc. */
  procRoot: string;
  runCommand: RunCommand;
  fetch: typeof fetchMeter;
  /** Address of a meter on the network, for example http://192.0.2.7; null if there is none. */
  meterUrl: string | null;
  /** Network interfaces that carry the load of the run. */
  interfaceNames: readonly string[];
}

/** `start` and `stop` may be called in any order and more than once; nothing here rejects. */
export interface EnergySource {
  probe(): Promise<Availability>;
  /** Starts counting energy from now. */
  start(): Promise<void>;
  sample(): Promise<EnergySample>;
  stop(): Promise<void>;
}

/** `detail` names the detected sensor. */
type Availability = { available: true; detail: string } | { available: false; problem: EnergyProblem };

/** By this device's clock; without power if there is a problem, or if an earlier sample is needed for comparison. */
export interface EnergySample extends PowerSample {
  problem: EnergyProblem | null;
}

/** Why there is no value; `message` is shown to users. */
export interface EnergyProblem {
  code: 'not-found' | 'no-permission' | 'vanished' | 'unreachable' | 'nonsense';
  message: string;
}

/** Maximum plausible power, in W: no Raspberry Pi, PC or fuse reaches it. */
const maxPowerW = 5_000;

/** Accepts an external power value if it is finite, not negative and plausible; otherwise returns 'nonsense'. */
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
  readFirst = read,
}: {
  clock: Clock;
  read: () => number | EnergyProblem | Promise<number | EnergyProblem>;
  /** Description of the sensor that answered. */
  describe: () => string;
  /** Detects the sensor, at each start. */
  find?: () => void;
  /** Reads it for the probe, if that may take longer than a sample. */
  readFirst?: typeof read;
}): EnergySource {
  return {
    async probe() {
      find();
      const power = await readFirst();
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

/** Reads an integer from a file of /sys; returns a problem with its reason if there is none. */
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
    return { code: 'no-permission', message: `${path} cannot be read by this user (${code})` };
  }
  return { code: 'vanished', message: `${path} can no longer be read (${code})` };
}

/** Power as a sum: idle power, plus a slope per busy core, plus a slope per Mbit/s on a link. */
export interface PowerModel {
  /** Machine that the figures were measured on. */
  board: string;
  source: string;
  idleW: number;
  busyCoreW: number;
  /** Sent and received together; null if the source gives no figure, which then adds nothing. */
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
  /** Mean number of busy cores, for example 1.3. */
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
