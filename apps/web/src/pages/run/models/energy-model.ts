import type { EnergyQuality } from '@mqttlab/shared/domain/devices/capabilities';
import type { RunEnergy, Series } from '@mqttlab/shared/domain/runs/role-result';
import type { SeriesPoint } from '../../../charts/datasets/time-series-data.ts';
import { pointsOf } from './cores-model.ts';
import { type RunDevice, runDevices } from './run-devices.ts';

export interface DeviceEnergy extends RunDevice {
  energy: RunEnergy;
  /** What the source takes in, in its own words. */
  covers: string;
  /** Of the measure phase on this device: handshakes may be over before its time is. */
  measuredUs: number | null;
  /** W over time; empty where the source gives sums only. */
  power: SeriesPoint[];
  /** J since measuring began. */
  cumulative: SeriesPoint[];
}

/** How far figures of each quality may be trusted. */
export const qualityWords: Readonly<Record<EnergyQuality, string>> = {
  measured: 'measured by an instrument of its own',
  'on-board': 'by a sensor on the board, as good as its maker says',
  modelled: 'modelled from CPU and network, not measured',
};

/** Devices with an energy source in this Run. */
export function energyOf(run: Parameters<typeof runDevices>[0]): DeviceEnergy[] {
  return runDevices(run).flatMap(({ result, ...device }) => {
    if (!result.energy) return [];
    const series = result.series.find(isPower);
    const power = series ? pointsOf(series, 1) : [];
    const covers = result.environment['energy.covers'];
    return [
      {
        ...device,
        energy: result.energy,
        measuredUs: result.phases.find(({ phase }) => phase === 'measure')?.durationUs ?? null,
        covers: typeof covers === 'string' ? covers : '',
        power,
        cumulative: integrate(power),
      },
    ];
  });
}

function isPower({ unit, metric }: Series): boolean {
  return unit === 'W' && metric.includes('power');
}

/** Trapezoids from the start of the measure phase; J where power is in W. */
export function integrate(power: readonly SeriesPoint[]): SeriesPoint[] {
  const measured = power.filter(({ t }) => t >= 0);
  let sum = 0;
  return measured.map(({ t, v }, i) => {
    const before = measured[i - 1];
    if (before) sum += ((v + before.v) / 2) * (t - before.t);
    return { t, v: sum };
  });
}

/** mAh at the voltage of the supply; null where nobody tells it. */
export function chargeMah({ measureJ, voltageV }: RunEnergy): number | null {
  if (measureJ === null || voltageV === null || voltageV <= 0) return null;
  return measureJ / voltageV / 3.6;
}

/** J above what the idle device takes in the same time; null where that time is not known. */
export function aboveIdleJ({ measureJ, baselineW }: RunEnergy, measuredUs: number | null): number | null {
  if (measureJ === null || baselineW === null || measuredUs === null) return null;
  return measureJ - baselineW * (measuredUs / 1e6);
}
