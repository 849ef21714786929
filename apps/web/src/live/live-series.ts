import type { Role } from '@mqttlab/shared/domain/device';
import type { RunDetail } from '@mqttlab/shared/domain/run';
import type { Progress } from '@mqttlab/shared/protocol/agent';
import type { CurrentRun } from '@mqttlab/shared/protocol/live';
import type { BandPoint, SeriesPoint } from '../charts/time-series-data.ts';

/** Series of a result that are summed; `scale` turns their unit into the shown one. */
export interface FinishedSeries {
  series: readonly string[];
  scale: number;
}

/** One small chart per device: what the frames carry live, and where it stands in a finished Run. */
export interface DeviceMetric {
  id: string;
  label: string;
  unit: string;
  /** In `unit`. */
  fromFrame: (frame: Progress) => number | null;
  finished: (role: Role) => FinishedSeries;
}

export const deviceMetrics: readonly DeviceMetric[] = [
  {
    id: 'cpu',
    label: 'CPU of the MQTT process',
    unit: '%',
    fromFrame: (frame) => frame.cpuPercent,
    finished: () => ({ series: ['cpu.process'], scale: 1 }),
  },
  {
    id: 'memory',
    label: 'Resident memory of the MQTT process',
    unit: 'MB',
    fromFrame: (frame) => scaled(frame.residentBytes, 1e-6),
    finished: () => ({ series: ['memory.resident'], scale: 1e-6 }),
  },
  {
    id: 'wire',
    // A broker does not tell its own bytes: there it is all that passes the interface.
    label: 'Wire bytes, both directions (broker: its interface)',
    unit: 'kB/s',
    fromFrame: (frame) => scaled(frame.wireBytesPerSecond, 1e-3),
    finished: (role) => ({
      series: role === 'broker' ? ['network.rx', 'network.tx'] : ['wire.rate'],
      scale: 1e-3,
    }),
  },
];

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/** Points of one role over the seconds of the measure phase; frames without the value are left out. */
export function livePoints(
  current: CurrentRun,
  role: Role,
  pick: (frame: Progress) => number | null,
): SeriesPoint[] {
  return current.progress.flatMap((frame) => {
    const v = frame.role === role ? pick(frame) : null;
    return v === null ? [] : [{ t: frame.atMs / 1000, v }];
  });
}

export function liveLatencyBand(current: CurrentRun): BandPoint[] {
  return current.progress.flatMap(({ role, atMs, latencyMs }) =>
    role === 'subscriber' && latencyMs ? [{ t: atMs / 1000, lo: latencyMs.p5, hi: latencyMs.p95 }] : [],
  );
}

/** Series of a finished Run, summed where there are several. */
export function finishedPoints(run: RunDetail, role: Role, metric: FinishedSeries): SeriesPoint[] {
  const all = run.results.find((result) => result.role === role)?.series ?? [];
  const parts = metric.series.map((id) => all.find((series) => series.metric === id));
  const [first] = parts;
  if (!first || parts.some((part) => part === undefined)) return [];
  return first.timesMs.flatMap((timeMs, i) => {
    const values = parts.map((part) => part?.values[i] ?? null);
    const total = values.reduce<number | null>(
      (sum, value) => (sum === null || value === null ? null : sum + value),
      0,
    );
    return total === null ? [] : [{ t: timeMs / 1000, v: total * metric.scale }];
  });
}

/** Lowest and highest of several lines, second by second. */
export function rangeOf(lines: readonly (readonly SeriesPoint[])[]): BandPoint[] {
  const seconds = new Map<number, BandPoint>();
  for (const { t, v } of lines.flat()) {
    const second = Math.round(t);
    const at = seconds.get(second);
    seconds.set(second, { t: second, lo: Math.min(at?.lo ?? v, v), hi: Math.max(at?.hi ?? v, v) });
  }
  return [...seconds.values()].sort((a, b) => a.t - b.t);
}
