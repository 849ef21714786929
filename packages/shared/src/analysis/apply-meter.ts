import type { PhaseRecord, RoleResult, Series } from '../domain/runs/role-result.ts';
import { findGaps, usualDistanceUs } from './find-gaps.ts';
import { findIdle } from './find-idle.ts';
import { integrateEnergy, type PowerSample } from './integrate-energy.ts';

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
