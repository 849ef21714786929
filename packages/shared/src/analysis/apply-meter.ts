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
  /** Unix time of the meter's first instant, ms; needed when its times are relative. */
  startedAtUnixMs: number | null;
  /** What the meter's clock is ahead of the device's, ms. */
  aheadMs: number;
  /** One instant on both clocks. */
  anchor: { unixMs: number; clockUs: number };
}

/** A figure above this is no Raspberry Pi, no PC and no fuse either. */
const maxPowerW = 5_000;

/** Rows of a meter as samples on the anchor's clock; a reason when nothing says when they were taken. */
export function alignMeter(csv: MeterCsv, alignment: MeterAlignment): PowerSample[] | { reason: string } {
  const { startedAtUnixMs, aheadMs, anchor } = alignment;
  if (csv.clock === 'relative' && startedAtUnixMs === null) {
    return { reason: 'the times of this file are relative: say when the meter was started' };
  }
  const shiftMs = (csv.clock === 'relative' ? (startedAtUnixMs ?? 0) : 0) - aheadMs - anchor.unixMs;
  const impossible = csv.rows.find(({ powerW }) => !(powerW >= 0 && powerW <= maxPowerW));
  if (impossible) return { reason: `the meter says ${impossible.powerW} W` };
  return csv.rows.map(({ atMs, powerW }) => ({
    atUs: anchor.clockUs + (atMs + shiftMs) * 1_000,
    powerW,
    energyJ: null,
  }));
}

/** Idle power is only believed when nothing ran for so long. */
const minIdleUs = 500_000;
/** Nearer to the run is more like it: of a long rest the part beside the run counts. */
const maxIdleUs = 30_000_000;
/** What a device does after its last message in a run, and how far two clocks may differ. */
const guardUs = 250_000;

/** Times in which a machine had a run to do, set-up and warm-up included; the run that is looked at is one of them. */
export interface BusyTimes {
  own: Window;
  others: readonly Window[];
}

/**
 * Stretches of what was measured in which no run had begun and none was left to end; those before the run first, the
 * nearest first, then those behind it. At most 30 s of each, the part beside the run. Pure.
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

/** Figures of a meter that was not connected to the testbed. */
export interface MeterReadings {
  /** What the person who brought them calls the meter. */
  name: string;
  /** Since the start of the measure phase. */
  timesMs: readonly number[];
  powerW: readonly number[];
}

/** When the machine of the meter had runs to do, ms since the start of the measure phase. */
export interface MeterRunTimes {
  /** This one, from when its devices were told to prepare to the last word about it. */
  own: { fromMs: number; toMs: number };
  others: readonly { fromMs: number; toMs: number }[];
}

/** Id of the source, where a sensor's own would stand. */
export const meterSource = 'meter-file';
const minGapUs = 2_000_000;
/** Fewer samples are no mean. */
const minIdleSamples = 3;

/**
 * The same result with the energy that the meter measured instead of what the device said itself. Idle power is that
 * of a time beside the run in which nothing ran. Pure.
 */
export function applyMeter(result: RoleResult, readings: MeterReadings, times: MeterRunTimes): RoleResult {
  const measure = result.phases.find(({ phase }) => phase === 'measure');
  if (!measure) return result;
  const samples: PowerSample[] = readings.timesMs.map((timeMs, index) => ({
    atUs: measure.startUs + timeMs * 1_000,
    powerW: readings.powerW[index] ?? null,
    energyJ: null,
  }));
  // Several times the usual distance of two samples carries no figure any more.
  const longestGapUs = Math.max(minGapUs, usualDistanceUs(samples) * 5);
  const energyIn = (fromUs: number, toUs: number) => {
    const integrated = integrateEnergy(samples, { fromUs, toUs }, longestGapUs);
    return 'energy' in integrated ? integrated.energy : null;
  };
  const phases = result.phases.map((record): PhaseRecord => {
    const found = energyIn(record.startUs, record.startUs + record.durationUs);
    // Without a sample inside, it is a guess from its neighbours.
    return { ...record, energyJ: found && found.samples > 0 ? found.energyJ : null };
  });
  const toWindow = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => ({
    fromUs: measure.startUs + fromMs * 1_000,
    toUs: measure.startUs + toMs * 1_000,
  });
  const measured = { fromUs: samples[0]?.atUs ?? 0, toUs: samples.at(-1)?.atUs ?? 0 };
  const told = toWindow(times.own);
  const own = {
    fromUs: Math.min(told.fromUs, ...result.phases.map(({ startUs }) => startUs)),
    toUs: Math.max(told.toUs, ...result.phases.map((record) => record.startUs + record.durationUs)),
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
