import { readFileSync } from 'node:fs';
import type { PowerSample } from '@mqttlab/shared/analysis/integrate-energy';
import type { EnergyQuality } from '@mqttlab/shared/domain/devices/capabilities';
import type { Clock } from '../../load/pacing/clock.ts';
import type { fetchMeter } from '../../processes/network.ts';
import type { RunCommand } from '../../processes/programs.ts';

/** A source of power readings. To add a source, add a file and a line in energy-sources.ts. */
export interface EnergySourceDefinition {
  /** Stored in results, so it must never be renamed. */
  id: string;
  label: string;
  quality: EnergyQuality;
  /** Components that the value includes and excludes. */
  covers: string;
  /** True if `EnergyEnvironment.meterUrl` is required. */
  needsAddress: boolean;
  /** Shortest useful interval: more frequent readings repeat the same value. */
  minIntervalMs: number;
  /** Coefficients of an estimate; null if the source reads a sensor. */
  model: PowerModel | null;
  make(environment: EnergyEnvironment): EnergySource;
}

/** Environment of a source; tests replace it completely. */
export interface EnergyEnvironment {
  clock: Clock;
  /** Usually /sys. */
  sysRoot: string;
  /** Usually /proc. */
  procRoot: string;
  runCommand: RunCommand;
  fetch: typeof fetchMeter;
  /** Address of a meter on the network, for example http://192.0.2.7; null if there is no meter. */
  meterUrl: string | null;
  /** Network interfaces that carry the run's load. */
  interfaceNames: readonly string[];
}

/** `start` and `stop` may be called in any order and more than once; no method rejects. */
export interface EnergySource {
  probe(): Promise<Availability>;
  /** Starts counting energy from now. */
  start(): Promise<void>;
  sample(): Promise<EnergySample>;
  stop(): Promise<void>;
}

/** `detail` names the detected sensor. */
type Availability = { available: true; detail: string } | { available: false; problem: EnergyProblem };

/**
 * Time on this device's clock. Power is absent if there is a problem, or if an earlier sample is needed for
 * comparison.
 */
export interface EnergySample extends PowerSample {
  problem: EnergyProblem | null;
}

/** Reason why there is no value; `message` is shown to users. */
export interface EnergyProblem {
  code: 'not-found' | 'no-permission' | 'vanished' | 'unreachable' | 'nonsense';
  message: string;
}

/** Maximum plausible power, in W: no Raspberry Pi, PC or fuse reaches this value. */
const maxPowerW = 5_000;

/**
 * Accepts an external power value if it is finite, not negative and plausible; otherwise returns the problem
 * 'nonsense'.
 */
export function checkPower(powerW: number, from: string): number | EnergyProblem {
  if (powerW >= 0 && powerW <= maxPowerW) return powerW;
  return { code: 'nonsense', message: `${from} says ${powerW} W` };
}

export function makeSample(atUs: number, power: number | EnergyProblem): EnergySample {
  if (typeof power === 'number') return { atUs, powerW: power, energyJ: null, problem: null };
  return { atUs, powerW: null, energyJ: null, problem: power };
}

/**
 * Makes a source that reads its sensor for each sample. The time of a sample is half-way between the request
 * and the response.
 */
export function makePolledSource({
  clock,
  read,
  describe,
  find = () => {},
  readFirst = read,
}: {
  clock: Clock;
  read: () => number | EnergyProblem | Promise<number | EnergyProblem>;
  /** Description of the detected sensor. */
  describe: () => string;
  /** Detects the sensor; called at each start. */
  find?: () => void;
  /** Reads the sensor for the probe, if that can take longer than a sample. */
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

/** Reads an integer from a file in /sys; returns a problem with its reason if there is none. */
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

/** Power as a sum of idle power, a slope per busy core, and a slope per Mbit/s on a link. */
export interface PowerModel {
  /** Machine on which the values were measured. */
  board: string;
  source: string;
  idleW: number;
  busyCoreW: number;
  /**
   * Sent and received traffic together; null if the source gives no value, in which case traffic adds
   * nothing.
   */
  wattsPerMbit: Readonly<Record<LinkMedium, number | null>>;
}

export type LinkMedium = 'wifi' | 'ethernet';

/**
 * Raspberry Pi 4 Model B: 540 mA when idle and 1,280 mA with all four cores busy, at 5 V. The only published
 * slope for Wi-Fi is for an older board with a USB adapter: 4.813 mW per Mbit/s in either direction.
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
