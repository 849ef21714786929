import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { Progress } from '@mqttlab/shared/messages/agent';
import { describe, expect, it } from 'vitest';
import { nameBlocks } from './current-run-panel.tsx';
import {
  addUp,
  type DeviceMetric,
  describeSpread,
  deviceMetrics,
  devicePoints,
  expectedP95,
  expectHighest,
  finishedPoints,
  fitLatencies,
  growTop,
  isJoined,
  joinDevices,
  liveLatency,
  livePoints,
  rangeOf,
} from './live-series.ts';
import { makeProgress, makeRunSummary } from './testing/live-factories.ts';
import { pickEarlierRuns } from './use-earlier-runs.ts';

const current = {
  run: makeRunSummary(),
  phases: [],
  progress: [
    makeProgress({ atMs: -1000, latencyMs: null }),
    makeProgress({ atMs: 1000, latencyMs: { p5: 1, p50: 2, p95: 4 } }),
    makeProgress({ atMs: 1000, role: 'broker', cpuPercent: 9 }),
  ],
};

describe('points of the current run', () => {
  it('belong to one role and omit missing values', () => {
    expect(livePoints(current, 'subscriber', (frame) => frame.latencyMs?.p50 ?? null)).toEqual([
      { t: 1, v: 2 },
    ]);
    expect(livePoints(current, 'broker', (frame) => frame.cpuPercent)).toEqual([{ t: 1, v: 9 }]);
    expect(liveLatency(current, 'subscriber')).toEqual({
      points: [{ t: 1, v: 2 }],
      band: [{ t: 1, lo: 1, hi: 4 }],
    });
  });

  it('uses the buckets of a frame if present, up to the last one that all devices reported', () => {
    const samples = (deviceId: string, p50s: number[]) =>
      makeProgress({
        deviceId,
        atMs: 1000,
        latencyMs: { p5: 1, p50: 2, p95: 4 },
        buckets: p50s.map((p50, i) => ({ atMs: 99 + i * 101, p5: p50 - 1, p50, p95: p50 + 1 })),
      });
    const one = { ...current, progress: [samples('a', [2, 3])] };
    const both = { ...current, progress: [samples('a', [2, 3]), samples('b', [4])] };
    expect(liveLatency(one, 'subscriber').points).toEqual([
      { t: 0.099, v: 2 },
      { t: 0.2, v: 3 },
    ]);
    expect([isJoined(one), isJoined(both)]).toEqual([false, true]);
    // Quantiles of one device are not quantiles of all messages.
    expect(describeSpread(true)).toContain('lowest P5 to the highest P95');
    const two = joinDevices(both);
    expect(liveLatency(two, 'subscriber')).toEqual({
      points: [{ t: 0.1, v: 3 }],
      band: [{ t: 0.1, lo: 1, hi: 5 }],
    });
  });
});

describe('points of a finished run', () => {
  const series = (metric: string, values: (number | null)[]) => ({
    metric,
    unit: 'B/s',
    timesMs: [1000, 2000, 3000].slice(0, values.length),
    values,
  });
  const run = {
    results: [
      {
        role: 'broker',
        series: [series('network.rx', [1000, 2000, null]), series('network.tx', [500, 500, 500])],
      },
    ],
  } as unknown as RunDetail;

  it('are the sum of their series, if all of them have a value', () => {
    const network = { series: ['network.rx', 'network.tx'], scale: 1e-3, joined: 'sum' as const };
    expect(finishedPoints(run, 'broker', network)).toEqual([
      { t: 1, v: 1.5 },
      { t: 2, v: 2.5 },
    ]);
  });

  it('of several devices of a role are combined as in the current run', () => {
    const two = {
      results: [
        { role: 'publisher', series: [series('wire.rate', [1000, 2000, 3000])] },
        { role: 'publisher', series: [series('wire.rate', [500, 500])] },
      ],
    } as unknown as RunDetail;
    const rate = { series: ['wire.rate'], scale: 1 };
    expect(finishedPoints(two, 'publisher', { ...rate, joined: 'sum' })).toEqual([
      { t: 1, v: 1500 },
      { t: 2, v: 2500 },
    ]);
    expect(finishedPoints(two, 'publisher', { ...rate, joined: 'mean' })).toEqual([
      { t: 1, v: 750 },
      { t: 2, v: 1250 },
    ]);
  });

  it('are none when a series or the role is missing', () => {
    expect(
      finishedPoints(run, 'broker', { series: ['network.rx', 'other'], scale: 1, joined: 'mean' as const }),
    ).toEqual([]);
    expect(
      finishedPoints(run, 'publisher', { series: ['network.rx'], scale: 1, joined: 'mean' as const }),
    ).toEqual([]);
  });

  it('span a band second by second', () => {
    const lines = [
      [
        { t: 0.9, v: 3 },
        { t: 2, v: 8 },
      ],
      [{ t: 1.1, v: 5 }],
    ];
    expect(rangeOf(lines)).toEqual([
      { t: 1, lo: 3, hi: 5 },
      { t: 2, lo: 8, hi: 8 },
    ]);
  });
});

describe('metrics that a broker does not count', () => {
  it('are the sum over its clients, for each second that all of them have', () => {
    const metric = deviceMetrics.find(({ id }) => id === 'wire') as DeviceMetric;
    const frame = (role: 'publisher' | 'subscriber' | 'broker', atMs: number, wireBytesPerSecond: number) =>
      makeProgress({ role, atMs, wireBytesPerSecond });
    const progress = [
      frame('publisher', 990, 2000),
      frame('subscriber', 1010, 3000),
      frame('broker', 1000, 900_000),
      frame('publisher', 2000, 7000),
    ];
    const run = { ...current, progress };
    expect(devicePoints(run, 'broker', metric)).toEqual([{ t: 1, v: 5 }]);
    expect(devicePoints(run, 'publisher', metric)).toEqual([
      { t: 0.99, v: 2 },
      { t: 2, v: 7 },
    ]);
    expect(addUp([])).toEqual([]);
  });
});

describe('earlier runs', () => {
  it('are the newest valid ones of the same treatment, but not of the same trial', () => {
    const done = { status: 'done', finishedAt: 1 } as const;
    const runs = [1, 2, 3, 4, 5, 6].map((id) => makeRunSummary({ ...done, id, trialNumber: id }));
    const odd = [
      makeRunSummary({ ...done, id: 7, trialNumber: 7, flagged: true }),
      makeRunSummary({ ...done, id: 8, trialNumber: 8, treatmentKey: 'other' }),
      makeRunSummary({ id: 9, trialNumber: 9, status: 'failed' }),
    ];
    const now = makeRunSummary({ id: 10, trialNumber: 6 });
    expect(pickEarlierRuns([...runs, ...odd, now], now).map(({ id }) => id)).toEqual([5, 4, 3, 2]);
  });

  it('are named by their repetitions', () => {
    expect([nameBlocks([3, 1, 2]), nameBlocks([2]), nameBlocks([1, 3]), nameBlocks([])]).toEqual([
      'reps 1–3',
      'rep 2',
      'reps 1, 3',
      '',
    ]);
  });
});

describe('top of a live axis', () => {
  it('leaves room above and splits into short quarters', () => {
    expect([growTop(null, 1.3), growTop(null, 0.09), growTop(null, 8.9), growTop(null, 62)]).toEqual([
      1.6, 0.12, 12, 80,
    ]);
  });

  it('starts at a value above most runs', () => {
    expect([expectHighest([1, 2, 3, 4, 90]), expectHighest([7]), expectHighest([])]).toEqual([4, 7, 0]);
  });

  it('grows only if a value does not fit, and never shrinks', () => {
    expect(growTop(1.6, 1.59)).toBe(1.6);
    expect(growTop(1.6, 0.2)).toBe(1.6);
    expect(growTop(1.6, 1.7)).toBe(2);
    expect(growTop(null, 0)).toBe(1);
  });
});

describe('axis of live latencies', () => {
  const bandOf = (...highs: number[]) => highs.map((hi, t) => ({ t, lo: hi / 4, hi }));
  const see = (band: ReturnType<typeof bandOf>, expectedMs = 0) => ({
    points: band.map(({ t, lo }) => ({ t, v: 2 * lo })),
    band,
    expectedMs,
  });

  it('holds the P95 of earlier runs from the start', () => {
    expect(fitLatencies(null, see([], 1.3))).toEqual({ isLog: false, bottom: 0, top: 1.6 });
  });

  it('is not flattened by one high bucket', () => {
    const usual = Array.from({ length: 30 }, () => 1);
    expect(fitLatencies(null, see([...bandOf(...usual), { t: 31, lo: 0.3, hi: 20 }]))).toEqual(
      fitLatencies(null, see(bandOf(...usual))),
    );
  });

  it('grows with the medians and with most of the bands', () => {
    const before = fitLatencies(null, see(bandOf(1, 1, 1)));
    const after = fitLatencies(before, see(bandOf(1, 1, 1, 4, 4, 4)));
    expect(after.top).toBeGreaterThan(4);
    expect(fitLatencies(after, see(bandOf(1)))).toEqual(after);
  });

  it('becomes logarithmic if its range exceeds 100, holds every value then, and remains so', () => {
    const spread = see([...bandOf(1, 1), { t: 3, lo: 0.3, hi: 400 }]);
    const axis = fitLatencies(null, spread);
    expect(axis).toMatchObject({ isLog: true, bottom: 0.25 });
    expect(axis.top).toBeGreaterThan(400);
    expect(fitLatencies(axis, see(bandOf(1)))).toEqual(axis);
  });
});

const currentWith = (part: { progress: Progress[] }) => ({ run: makeRunSummary(), phases: [], ...part });
const frame = (deviceId: string, atMs: number, change: Partial<Progress> = {}): Progress =>
  makeProgress({ role: 'publisher', deviceId, atMs, messages: 10, cpuPercent: 20, ...change });

it('adds rates of the devices of a role and averages their CPU, if all of them reported', () => {
  const current = currentWith({
    progress: [
      frame('a', 800, { messagesPerSecond: 900 }),
      frame('a', 1000, { messagesPerSecond: 100, cpuPercent: 10, soFar: { 'setUp.tcp': 1 } }),
      frame('b', 1010, { messagesPerSecond: 50, cpuPercent: 30, soFar: { 'setUp.tcp': 3 } }),
      frame('a', 2000),
    ],
  });
  const { progress } = joinDevices(current);
  expect(progress).toHaveLength(1);
  expect(progress[0]).toMatchObject({ atMs: 1000, messages: 20, messagesPerSecond: 150, cpuPercent: 20 });
  expect(progress[0]?.soFar).toEqual({ 'setUp.tcp': 2 });
});

it('scales a treatment by its own earlier runs, and by the others only before there are any', () => {
  const of = (treatmentKey: string, p95: number | null) => ({
    treatmentKey,
    metrics: { 'latency.p95': p95 },
  });
  const runs = [of('plain', 1), of('plain', 1.2), of('plain', 1.1), of('tls', 90), of('new', null)];
  expect(expectedP95(runs, 'plain')).toBeLessThan(1.3);
  expect(expectedP95(runs, 'new')).toBe(expectedP95(runs, 'unknown'));
  expect(expectedP95([], 'plain')).toBe(0);
});

it('does not change a run with one device per role', () => {
  const current = currentWith({ progress: [frame('a', 1000), frame('a', 2000)] });
  expect(joinDevices(current)).toBe(current);
});
