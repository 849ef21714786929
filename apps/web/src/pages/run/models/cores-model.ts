import type { RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { HeatRow } from '../../../charts/datasets/heat-strip-data.ts';
import type { SeriesPoint } from '../../../charts/datasets/time-series-data.ts';
import { type RunDevice, runDevices } from './run-devices.ts';

/** One device: each core over time, and how many cores the device and the MQTT process kept busy. */
export interface DeviceCores extends RunDevice {
  /** %, of one core each. */
  cores: HeatRow[];
  /** In cores. */
  device: SeriesPoint[];
  process: SeriesPoint[];
}

const coreName = /^cpu\.core(\d+)$/;

/** Devices of which every core was sampled. */
export function coresOf(run: Pick<RunDetail, 'results'>): DeviceCores[] {
  return runDevices(run).flatMap(({ result, ...device }) => {
    const cores = result.series
      .flatMap((series) => {
        const match = coreName.exec(series.metric);
        return match ? [{ number: Number(match[1]), series }] : [];
      })
      .sort((a, b) => a.number - b.number);
    if (cores.length === 0) return [];
    return [
      {
        ...device,
        cores: cores.map(({ number, series }) => ({ name: `core ${number}`, points: pointsOf(series, 1) })),
        device: seriesOf(result, 'cpu.device', cores.length / 100),
        process: seriesOf(result, 'cpu.process', 1 / 100),
      },
    ];
  });
}

function seriesOf({ series }: RoleResult, metric: string, scale: number): SeriesPoint[] {
  const found = series.find((one) => one.metric === metric);
  return found ? pointsOf(found, scale) : [];
}

/** Instants without a value are left out. */
export function pointsOf({ timesMs, values }: Series, scale: number): SeriesPoint[] {
  return timesMs.flatMap((ms, i) => {
    const value = values[i];
    return value === null || value === undefined ? [] : [{ t: ms / 1000, v: value * scale }];
  });
}
