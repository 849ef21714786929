import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { BandPoint, SeriesPoint } from '../../../charts/datasets/time-series-data.ts';
import { resultPoints } from '../../../live/live-series.ts';
import { measuredEndS } from './measured-end.ts';
import { type RunDevice, runDevices } from './run-devices.ts';

/** A choice of the panel: one line for each device that has it. */
export interface SeriesChoice {
  id: string;
  label: string;
  unit: string;
  series: readonly string[];
  scale: number;
  /** In place of `series`: the mean of every series with such a name, one for each core or sensor. */
  family?: RegExp;
  /** Series of a band around it, by id. */
  band?: readonly [string, string];
}

const choices: readonly SeriesChoice[] = [
  { id: 'cpu', label: 'CPU of the MQTT process', unit: '%', series: ['cpu.process'], scale: 1 },
  {
    id: 'memory',
    label: 'Resident memory of the MQTT process',
    unit: 'MB',
    series: ['memory.resident'],
    scale: 1e-6,
  },
  {
    id: 'network',
    label: 'Bytes through the interface, both directions',
    unit: 'kB/s',
    series: ['network.rx', 'network.tx'],
    scale: 1e-3,
  },
  {
    id: 'wire',
    label: 'Wire bytes of the connections, both directions',
    unit: 'kB/s',
    series: ['wire.rate'],
    scale: 1e-3,
  },
  { id: 'messages', label: 'Messages', unit: 'msg/s', series: ['messages.rate'], scale: 1 },
  {
    id: 'latency',
    label: 'Message latency, median with P5 to P95',
    unit: 'ms',
    series: ['latency.p50'],
    scale: 1,
    band: ['latency.p5', 'latency.p95'],
  },
  {
    id: 'reached',
    label: 'Attempts that reached the broker',
    unit: '%',
    series: ['probe.reached'],
    scale: 100,
  },
  { id: 'setUp', label: 'Connecting under abuse', unit: 'ms', series: ['probe.setUp'], scale: 1 },
  {
    id: 'held',
    label: 'Connections or sessions held by the abuser',
    unit: 'connections',
    series: ['abuse.held'],
    scale: 1,
  },
  { id: 'device', label: 'CPU of the whole device', unit: '%', series: ['cpu.device'], scale: 1 },
  {
    id: 'proportional',
    label: 'Proportional memory of the MQTT process',
    unit: 'MB',
    series: ['memory.proportional'],
    scale: 1e-6,
  },
  { id: 'temperature', label: 'Temperature', unit: '°C', series: [], family: /^temperature\./, scale: 1 },
  {
    id: 'frequency',
    label: 'CPU frequency, mean of the cores',
    unit: 'MHz',
    series: [],
    family: /^frequency\./,
    scale: 1,
  },
];

/** Drawn by panels of their own. */
const elsewhere = /^(cpu\.core\d+|cpu\.agent|latency\..*|.*power.*)$/;

export interface DeviceLine extends RunDevice {
  points: SeriesPoint[];
  band: BandPoint[];
  /** Over the measure phase; null without a point in it. */
  mean: number | null;
}

/** The choices that at least one device of this Run has a series for. */
export function seriesChoices(run: RunDetail): SeriesChoice[] {
  const known = choices.filter((choice) => run.results.some((result) => pointsOf(result, choice).length > 0));
  const named = (metric: string) =>
    choices.some((choice) => choice.series.includes(metric) || choice.family?.test(metric));
  const others = run.results
    .flatMap((result) => result.series)
    .filter(({ metric }) => !named(metric) && !elsewhere.test(metric))
    .map(({ metric, unit }) => ({ id: metric, label: metric, unit, series: [metric], scale: 1 }));
  return [...known, ...new Map(others.map((choice) => [choice.id, choice])).values()];
}

function pointsOf(result: RoleResult, choice: SeriesChoice): SeriesPoint[] {
  const { family, scale } = choice;
  if (!family) return resultPoints(result, choice);
  const series = result.series.map(({ metric }) => metric).filter((metric) => family.test(metric));
  return series.length === 0 ? [] : resultPoints(result, { series, scale: scale / series.length });
}

export function deviceLines(run: RunDetail, choice: SeriesChoice): DeviceLine[] {
  const endS = measuredEndS(run);
  return runDevices(run).flatMap(({ result, ...device }): DeviceLine[] => {
    const points = pointsOf(result, choice);
    if (points.length === 0) return [];
    const measured = points.filter(({ t }) => t > 0 && t <= endS);
    const sum = measured.reduce((total, { v }) => total + v, 0);
    return [
      {
        ...device,
        points,
        band: bandOf(result, choice),
        mean: measured.length === 0 ? null : sum / measured.length,
      },
    ];
  });
}

function bandOf(result: RoleResult, { band, scale }: SeriesChoice): BandPoint[] {
  if (!band) return [];
  const [low, high] = band.map((id) => resultPoints(result, { series: [id], scale }));
  const tops = new Map(high?.map(({ t, v }) => [t, v]));
  return (low ?? []).flatMap(({ t, v }) => {
    const hi = tops.get(t);
    return hi === undefined ? [] : [{ t, lo: v, hi }];
  });
}
