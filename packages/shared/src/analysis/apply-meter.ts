import type { PhaseRecord, RoleResult, Series } from '../domain/runs/role-result.ts';
import {
  findGaps,
  integrateEnergy,
  type PowerSample,
  usualDistanceUs,
  type Window,
} from './integrate-energy.ts';
import type { MeterCsv } from './parse-meter-csv.ts';

export interface MeterAlignment {
  /** Unix time of the meter's first sample, in ms; required if its times are relative. */
  startedAtUnixMs: number | null;
  /** How far the meter's clock is ahead of the device's, in ms. */
  aheadMs: number;
  /** The same instant, measured on both clocks. */
  anchor: { unixMs: number; clockUs: number };
}

/** Upper bound for plausible power, in W. No device or fuse allows more. */
const maxPowerW = 5_000;

/** Converts meter rows to samples on the anchor's clock; returns a reason if their time is unknown. */
export function alignMeter(csv: MeterCsv, alignment: MeterAlignment): PowerSample[] | { reason: string } {
  const { startedAtUnixMs, aheadMs, anchor } = alignment;
  if (csv.clock === 'relative' && startedAtUnixMs === null) {
    return { reason: 'the times in this file are relative: specify when the meter was started' };
  }
  const shiftMs = (csv.clock === 'relative' ? (startedAtUnixMs ?? 0) : 0) - aheadMs - anchor.unixMs;
  const impossible = csv.rows.find(({ powerW }) => !(powerW >= 0 && powerW <= maxPowerW));
  if (impossible) return { reason: `the meter reports ${impossible.powerW} W, which is implausible` };
  return csv.rows.map(({ atMs, powerW }) => ({
    atUs: anchor.clockUs + (atMs + shiftMs) * 1_000,
    powerW,
    energyJ: null,
  }));
}

/** Minimum length of an idle period to measure idle power, in ms. */
const minIdleUs = 500_000;
/**
 * Maximum length of an idle period, in ms. Only the part closest to the run is used, because it represents
 * the run best.
 */
const maxIdleUs = 30_000_000;
/** Margin after a run, in ms, for the device's remaining work and the difference between clocks. */
const guardUs = 250_000;

/**
 * Times in which a machine was busy with runs, including set-up and warm-up. Also contains the run itself.
 */
export interface BusyTimes {
  own: Window;
  others: readonly Window[];
}

/**
 * Returns the idle periods in the meter data: first the periods before the run, nearest first, then the
 * periods after it. Each period is limited to the 30 s closest to the run. Pure.
 */
export function findIdle(measured: Window, { own, others }: BusyTimes): Window[] {
  const busy = [own, ...others]
    .map(({ fromUs, toUs }) => ({ fromUs: fromUs - guardUs, toUs: toUs + guardUs }))
    .sort((a, b) => a.fromUs - b.fromUs);
  const free: Window[] = [];
  let freeFromUs = measured.fromUs;
  for (const { fromUs, toUs } of busy) {
    free.push({ fromUs: freeFromUs, toUs: Math.min(fromUs, measured.toUs) });
    freeFromUs = Math.max(freeFromUs, toUs);
  }
  free.push({ fromUs: freeFromUs, toUs: measured.toUs });
  const long = free.filter(({ fromUs, toUs }) => toUs - fromUs >= minIdleUs);
  const before = long
    .filter(({ toUs }) => toUs <= own.fromUs)
    .map(({ fromUs, toUs }) => ({ fromUs: Math.max(fromUs, toUs - maxIdleUs), toUs }));
  const behind = long
    .filter(({ fromUs }) => fromUs >= own.toUs)
    .map(({ fromUs, toUs }) => ({ fromUs, toUs: Math.min(toUs, fromUs + maxIdleUs) }));
  return [...before.reverse(), ...behind];
}

/** Data from a meter that was not connected to the testbed. */
export interface MeterReadings {
  /** Name of the meter, as entered by the user. */
  name: string;
  /** Time since the start of the measure phase. */
  timesMs: readonly number[];
  powerW: readonly number[];
}

/** When the metered machine was busy with runs, in ms since the start of the measure phase. */
export interface MeterRunTimes {
  /** This run, from the prepare command to its last message. */
  own: { fromMs: number; toMs: number };
  others: readonly { fromMs: number; toMs: number }[];
}

/** Source id of meter data, used instead of a sensor's id. */
export const meterSource = 'meter-file';
const minGapUs = 2_000_000;
/** Minimum number of samples for a mean. */
const minIdleSamples = 3;

/**
 * Returns the result with the meter's energy in place of the device's own. Idle power is taken from an idle period close
 * to the run. Pure.
 */
export function applyMeter(result: RoleResult, readings: MeterReadings, times: MeterRunTimes): RoleResult {
  const measure = result.phases.find(({ phase }) => phase === 'measure');
  if (!measure) return result;
  const samples: PowerSample[] = readings.timesMs.map((timeMs, index) => ({
    atUs: measure.startUs + timeMs * 1_000,
    powerW: readings.powerW[index] ?? null,
    energyJ: null,
  }));
  // A gap of several times the usual sample interval invalidates the energy.
  const longestGapUs = Math.max(minGapUs, usualDistanceUs(samples) * 5);
  const energyIn = (fromUs: number, toUs: number) => {
    const integrated = integrateEnergy(samples, { fromUs, toUs }, longestGapUs);
    return 'energy' in integrated ? integrated.energy : null;
  };
  const phases = result.phases.map((record): PhaseRecord => {
    const found = energyIn(record.startUs, record.startUs + record.durationUs);
    // Without a sample inside the period, the value would be purely interpolated.
    return { ...record, energyJ: found && found.samples > 0 ? found.energyJ : null };
  });
  const toWindow = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => ({
    fromUs: measure.startUs + fromMs * 1_000,
    toUs: measure.startUs + toMs * 1_000,
  });
  const measured = { fromUs: samples[0]?.atUs ?? 0, toUs: samples.at(-1)?.atUs ?? 0 };
  const stored = toWindow(times.own);
  const own = {
    fromUs: Math.min(stored.fromUs, ...result.phases.map(({ startUs }) => startUs)),
    toUs: Math.max(stored.toUs, ...result.phases.map((record) => record.startUs + record.durationUs)),
  };
  const stretches = findIdle(measured, { own, others: times.others.map(toWindow) });
  const idle = stretches
    .map((window) => ({ window, energy: energyIn(window.fromUs, window.toUs) }))
    .find(({ energy }) => energy !== null && energy.samples >= minIdleSamples);
  const gaps = findGaps(samples, { fromUs: measure.startUs, toUs: measure.startUs + measure.durationUs });
  const sinceMeasure = (atUs: number) => (atUs - measure.startUs) / 1_000;
  return {
    ...result,
    phases,
    energy: {
      source: meterSource,
      quality: 'measured',
      detail: readings.name,
      baselineW: idle?.energy?.meanPowerW ?? null,
      ...(idle && {
        baselineWindow: { fromMs: sinceMeasure(idle.window.fromUs), toMs: sinceMeasure(idle.window.toUs) },
      }),
      ...(gaps && { gaps }),
      measureJ: phases.find(({ phase }) => phase === 'measure')?.energyJ ?? null,
      voltageV: result.energy?.voltageV ?? null,
      batteryMah: result.energy?.batteryMah ?? null,
    },
    series: [...result.series.filter(({ metric }) => metric !== 'energy.power'), seriesOfMeter(readings)],
  };
}

export function seriesOfMeter({ timesMs, powerW }: MeterReadings): Series {
  return { metric: 'energy.power', unit: 'W', timesMs: [...timesMs], values: [...powerW] };
}
