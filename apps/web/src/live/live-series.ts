import type { BandPoint, SeriesPoint } from '@mqttlab/charts/kinds/time-series';
import { neededRoles, type Role, roles } from '@mqttlab/shared/domain/devices/device';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail, RunRow } from '@mqttlab/shared/domain/runs/run';
import type { Progress } from '@mqttlab/shared/messages/agent';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import { useRef } from 'react';

export const roleNames: Readonly<Record<Role, string>> = {
  broker: 'Broker',
  publisher: 'Publisher',
  bridge: 'Bridge',
  'cloud-broker': 'Cloud broker',
  subscriber: 'Subscriber',
};

/** Returns the three roles of every run, or all roles if a bridge reports. The lists are constants. */
export function rolesThatTell(frames: readonly Pick<Progress, 'role'>[]): readonly Role[] {
  return frames.some(({ role }) => !neededRoles.some((needed) => needed === role)) ? roles : neededRoles;
}

/** Series of a result that are added. `scale` converts their unit to the displayed unit. */
interface FinishedSeries {
  series: readonly string[];
  scale: number;
}

/** Series, and how the values of several devices in a role are combined. */
interface JoinedSeries extends FinishedSeries {
  joined: 'mean' | 'sum';
}

/** One small chart per device: its value in live frames, and its series in a finished run. */
export interface DeviceMetric {
  id: string;
  label: string;
  unit: string;
  /** Value in `unit`. */
  fromFrame: (frame: Progress) => number | null;
  finished: JoinedSeries;
  /** The broker does not count this value, but the sum over its clients is the same. */
  brokerIsSum?: true;
}

export const deviceMetrics: readonly DeviceMetric[] = [
  {
    id: 'cpu',
    label: 'CPU of the MQTT process',
    unit: '%',
    fromFrame: (frame) => frame.cpuPercent,
    finished: { series: ['cpu.process'], scale: 1, joined: 'mean' },
  },
  {
    id: 'memory',
    label: 'Resident memory of the MQTT process',
    unit: 'MB',
    fromFrame: (frame) => scaled(frame.residentBytes, 1e-6),
    finished: { series: ['memory.resident'], scale: 1e-6, joined: 'mean' },
  },
  {
    id: 'wire',
    label: 'Wire bytes, both directions (broker: sum over its clients)',
    unit: 'kB/s',
    fromFrame: (frame) => scaled(frame.wireBytesPerSecond, 1e-3),
    finished: { series: ['wire.rate'], scale: 1e-3, joined: 'sum' },
    brokerIsSum: true,
  },
];

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/**
 * Returns the points of one role over the seconds of the measure phase. Frames without the value are omitted.
 */
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

/** Returns message latency with its band, per bucket if frames have buckets, otherwise per frame. */
export function liveLatency(current: CurrentRun, role: Role): { points: SeriesPoint[]; band: BandPoint[] } {
  const samples = current.progress.flatMap((frame) => (frame.role === role ? bucketsOf(frame) : []));
  return {
    points: samples.map(({ atMs, p50 }) => ({ t: atMs / 1000, v: p50 })),
    band: samples.map(({ atMs, p5, p95 }) => ({ t: atMs / 1000, lo: p5, hi: p95 })),
  };
}

type Bucket = NonNullable<Progress['buckets']>[number];

function bucketsOf({ atMs, latencyMs, buckets }: Progress): readonly Bucket[] {
  return buckets ?? (latencyMs ? [{ atMs, ...latencyMs }] : []);
}

/**
 * Returns the series of a finished run; several series are added. Devices in a role are combined as in the
 * current run.
 */
export function finishedPoints(run: RunDetail, role: Role, metric: JoinedSeries): SeriesPoint[] {
  const lines = run.results
    .filter((result) => result.role === role)
    .map((result) => resultPoints(result, metric));
  const [first = []] = lines;
  if (lines.length < 2) return first;
  const share = metric.joined === 'mean' ? 1 / lines.length : 1;
  return addUp(lines).map(({ t, v }) => ({ t, v: v * share }));
}

/** Like `finishedPoints`, for one device. */
export function resultPoints({ series: all }: RoleResult, metric: FinishedSeries): SeriesPoint[] {
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

/** Returns the lowest and highest value of several lines for each second. */
export function rangeOf(lines: readonly (readonly SeriesPoint[])[]): BandPoint[] {
  const seconds = new Map<number, BandPoint>();
  for (const { t, v } of lines.flat()) {
    const second = Math.round(t);
    const at = seconds.get(second);
    seconds.set(second, { t: second, lo: Math.min(at?.lo ?? v, v), hi: Math.max(at?.hi ?? v, v) });
  }
  return [...seconds.values()].sort((a, b) => a.t - b.t);
}

const clients: readonly Role[] = ['publisher', 'subscriber'];

/** Returns one metric of one device in the current run. */
export function devicePoints(current: CurrentRun, role: Role, metric: DeviceMetric): SeriesPoint[] {
  if (role !== 'broker' || !metric.brokerIsSum) return livePoints(current, role, metric.fromFrame);
  return addUp(clients.map((client) => livePoints(current, client, metric.fromFrame)));
}

/** Returns one metric of one device in a finished run. */
export function finishedDevicePoints(run: RunDetail, role: Role, metric: DeviceMetric): SeriesPoint[] {
  if (role !== 'broker' || !metric.brokerIsSum) return finishedPoints(run, role, metric.finished);
  return addUp(clients.map((client) => finishedPoints(run, client, metric.finished)));
}

/** Adds several lines, for each second in which all of them have a point. */
export function addUp(lines: readonly (readonly SeriesPoint[])[]): SeriesPoint[] {
  const [first, ...others] = lines.map((line) => new Map(line.map(({ t, v }) => [Math.round(t), v])));
  return [...(first ?? [])].flatMap(([t, v]) => {
    const rest = others.map((line) => line.get(t));
    return rest.some((value) => value === undefined)
      ? []
      : [{ t, v: rest.reduce<number>((sum, value) => sum + (value ?? 0), v) }];
  });
}

/**
 * Returns the current run with one line for each role. If several devices play a role, counts and rates are
 * added and other values are averaged. This includes only seconds that all of these devices have reported.
 * Pure.
 */
export function joinDevices(current: CurrentRun): CurrentRun {
  const byRole = Map.groupBy(current.progress, ({ role }) => role);
  if ([...byRole.values()].every((frames) => devicesIn(frames) === 1)) return current;
  const progress = [...byRole.values()].flatMap(joinFrames).sort((a, b) => a.atMs - b.atMs);
  return { ...current, progress };
}

/**
 * Returns true if several devices of a role time messages. Quantiles are then computed per device, not over
 * all messages.
 */
export function isJoined({ progress }: CurrentRun): boolean {
  return devicesIn(progress.filter(({ latencyMs }) => latencyMs !== null)) > 1;
}

/** Describes the line and the band of latency that `joinLatencies` returns. */
export function describeSpread(isOfSeveral: boolean): string {
  return isOfSeveral
    ? 'mean of the device medians, with a band from the lowest P5 to the highest P95'
    : 'median with P5 to P95';
}

function devicesIn(frames: readonly Progress[]): number {
  return new Set(frames.map(({ deviceId }) => deviceId)).size;
}

function joinFrames(frames: readonly Progress[]): readonly Progress[] {
  const devices = devicesIn(frames);
  if (devices === 1) return frames;
  const seconds = Map.groupBy(frames, ({ atMs }) => Math.round(atMs / 1000));
  return [...seconds.values()].flatMap((own) => {
    // Only the last frame of each device in a second is used.
    const last = [...new Map(own.map((frame) => [frame.deviceId, frame])).values()];
    return last.length === devices ? joinSecond(last, own) : [];
  });
}

/**
 * Joins the frames of one second; `own` are all its frames. The last frame of a short run is early and has
 * separate buckets.
 */
function joinSecond(frames: readonly Progress[], own: readonly Progress[]): Progress[] {
  const [first] = frames;
  if (first === undefined) return [];
  const soFar = meansOf(frames.flatMap(({ soFar: samples }) => (samples ? [samples] : [])));
  const latencies = frames.flatMap(({ latencyMs }) => latencyMs ?? []);
  const tenths = Map.groupBy(
    own.flatMap(({ buckets = [] }) => buckets),
    ({ atMs }) => Math.round(atMs / 100),
  );
  const buckets = [...tenths].flatMap(([tenth, all]) =>
    all.length < frames.length ? [] : [{ atMs: tenth * 100, ...joinLatencies(all) }],
  );
  return [
    {
      role: first.role,
      atMs: first.atMs,
      messages: sum(frames, ({ messages }) => messages) ?? 0,
      messagesPerSecond: sum(frames, ({ messagesPerSecond }) => messagesPerSecond) ?? 0,
      late: sum(frames, ({ late }) => late) ?? 0,
      latencyMs: latencies.length === 0 ? null : joinLatencies(latencies),
      ...(buckets.length === 0 ? {} : { buckets }),
      cpuPercent: mean(frames, ({ cpuPercent }) => cpuPercent),
      deviceCpuPercent: mean(frames, ({ deviceCpuPercent }) => deviceCpuPercent),
      residentBytes: mean(frames, ({ residentBytes }) => residentBytes),
      wireBytesPerSecond: sum(frames, ({ wireBytesPerSecond }) => wireBytesPerSecond),
      ...(soFar === null ? {} : { soFar }),
    },
  ];
}

/**
 * Returns the lowest P5, mean P50 and highest P95 of the devices, which bound the quantiles over all
 * messages.
 */
function joinLatencies(
  all: readonly NonNullable<Progress['latencyMs']>[],
): NonNullable<Progress['latencyMs']> {
  return {
    p5: Math.min(...all.map(({ p5 }) => p5)),
    p50: all.reduce((total, { p50 }) => total + p50, 0) / all.length,
    p95: Math.max(...all.map(({ p95 }) => p95)),
  };
}

/** Combines the values that all devices report; null if none does. */
function meansOf(records: readonly Readonly<Record<string, number>>[]): Record<string, number> | null {
  const [first] = records;
  if (first === undefined) return null;
  return Object.fromEntries(
    Object.keys(first).map((id) => [
      id,
      records.reduce((total, record) => total + (record[id] ?? 0), 0) / records.length,
    ]),
  );
}

type Reading = (frame: Progress) => number | null;

/** Returns the sum; null if any device does not report the value. */
function sum(frames: readonly Progress[], pick: Reading): number | null {
  return frames.reduce<number | null>((total, frame) => {
    const value = pick(frame);
    return total === null || value === null ? null : total + value;
  }, 0);
}

function mean(frames: readonly Progress[], pick: Reading): number | null {
  const total = sum(frames, pick);
  return total === null ? null : total / frames.length;
}

/** Axis ends whose halves and quarters are short numbers. */
const tops = [1, 1.2, 1.6, 2, 4, 6, 8, 10];

/**
 * Returns the top of an axis that does not jump. It stays unchanged until a value no longer fits, and then
 * grows with headroom.
 */
export function growTop(previous: number | null, highest: number): number {
  if (previous !== null && highest <= previous) return previous;
  if (!(highest > 0)) return previous ?? 1;
  const wanted = highest * 1.15;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const lead = tops.find((top) => top * power >= wanted) ?? 10;
  return Number((lead * power).toPrecision(2));
}

/**
 * Returns the expected maximum of the next run: the upper quartile of earlier runs, so that outliers do not
 * flatten the chart.
 */
export function expectHighest(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.75)] ?? 0;
}

/**
 * Returns the P95 of earlier runs of this treatment, otherwise of all other runs. The axis starts with room
 * for it.
 */
export function expectedP95(runs: readonly Pick<RunRow, 'treatmentKey' | 'metrics'>[], key: string): number {
  const reached = (some: typeof runs) => some.flatMap(({ metrics }) => metrics['latency.p95'] ?? []);
  const own = reached(runs.filter(({ treatmentKey }) => treatmentKey === key));
  return expectHighest(own.length > 0 ? own : reached(runs));
}

/** A latency axis in ms that starts at zero, or at `bottom` if it is logarithmic. */
export interface LatencyAxis {
  isLog: boolean;
  bottom: number;
  top: number;
}

/** Ratio of the highest to the lowest latency above which an axis from zero would flatten most of them. */
const maxRatio = 100;
/** Share of buckets, at least one, whose P95 may exceed an axis from zero. Such a P95 is cut and marked. */
const cutShare = 0.05;

interface SeenLatencies {
  points: readonly SeriesPoint[];
  band: readonly BandPoint[];
  /** P95 of earlier runs; 0 if there are none. */
  expectedMs: number;
}

/**
 * Returns the axis of a live latency chart. It starts with room for the P95 of earlier runs. It keeps its
 * range and grows only if the medians or most of the bands no longer fit. If the ratio of its ends exceeds
 * 100, it is logarithmic and includes every value.
 */
export function fitLatencies(
  previous: LatencyAxis | null,
  { points, band, expectedMs }: SeenLatencies,
): LatencyAxis {
  const highs = band.map(({ hi }) => hi).sort((a, b) => b - a);
  const lowest = Math.min(...band.flatMap(({ lo }) => (lo > 0 ? lo : [])));
  const highest = Math.max(expectedMs, highs[0] ?? 0);
  const top = previous?.top ?? null;
  if (previous?.isLog || highest > maxRatio * lowest) {
    const bottom = previous?.isLog ? Math.min(previous.bottom, lowest) : lowest;
    return { isLog: true, bottom, top: growTop(top, highest) };
  }
  const cut = Math.max(1, Math.floor(highs.length * cutShare));
  const usual = Math.max(expectedMs, highs[cut] ?? 0, ...points.map(({ v }) => v));
  return { isLog: false, bottom: 0, top: growTop(top, usual) };
}

/** Returns the top of an axis, which only grows while `key` stays the same. */
export function useFixedTop(key: string, highest: number): number {
  return useKept<number>(key, (top) => growTop(top, highest));
}

/** Applies `fitLatencies` to the previous axis while `key` stays the same. */
export function useLatencyAxis(key: string, seen: SeenLatencies): LatencyAxis {
  return useKept<LatencyAxis>(key, (axis) => fitLatencies(axis, seen));
}

/** Returns a value computed from the value of the last render, or from null after `key` has changed. */
function useKept<T>(key: string, next: (last: T | null) => T): T {
  const kept = useRef<{ key: string; value: T | null }>({ key, value: null });
  const value = next(kept.current.key === key ? kept.current.value : null);
  kept.current = { key, value };
  return value;
}
