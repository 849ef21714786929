import type { PhaseRecord, RoleResult, Series } from '../domain/role-result.ts';
import { integrateEnergy, type PowerSample } from './integrate-energy.ts';

/** Figures of a meter that was not connected to the testbed. */
export interface MeterReadings {
  /** What the person who brought them calls the meter. */
  name: string;
  /** Since the start of the measure phase. */
  timesMs: readonly number[];
  powerW: readonly number[];
}

/** Id of the source, where a sensor's own would stand. */
export const meterSource = 'meter-file';
/** Idle power is only believed when the meter ran for so long before the first phase. */
const leastBaselineUs = 500_000;
const leastGapUs = 2_000_000;

/** Several times the usual distance of two samples: more than that is a gap. */
export function longestGapUs(timesMs: readonly number[]): number {
  const gaps = timesMs.slice(1).map((time, index) => time - (timesMs[index] ?? time));
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  return Math.max(leastGapUs, usual * 5 * 1_000);
}

/** The same result with the energy that the meter measured instead of what the device said itself. Pure. */
export function applyMeter(result: RoleResult, readings: MeterReadings): RoleResult {
  const measure = result.phases.find(({ phase }) => phase === 'measure');
  if (!measure) return result;
  const samples: PowerSample[] = readings.timesMs.map((timeMs, index) => ({
    atUs: measure.startUs + timeMs * 1_000,
    powerW: readings.powerW[index] ?? null,
    energyJ: null,
  }));
  const gapUs = longestGapUs(readings.timesMs);
  const energyIn = (fromUs: number, toUs: number) => {
    const integrated = integrateEnergy(samples, { fromUs, toUs }, gapUs);
    return 'energy' in integrated ? integrated.energy : null;
  };
  const phases = result.phases.map((record): PhaseRecord => {
    const found = energyIn(record.startUs, record.startUs + record.durationUs);
    // Without a sample inside, it is a guess from its neighbours.
    return { ...record, energyJ: found && found.samples > 0 ? found.energyJ : null };
  });
  const beginUs = Math.min(...result.phases.map(({ startUs }) => startUs));
  const firstUs = samples[0]?.atUs ?? beginUs;
  const idle = beginUs - firstUs >= leastBaselineUs ? energyIn(firstUs, beginUs) : null;
  return {
    ...result,
    phases,
    energy: {
      source: meterSource,
      quality: 'measured',
      detail: readings.name,
      baselineW: idle?.meanPowerW ?? null,
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
