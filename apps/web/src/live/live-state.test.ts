import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { describe, expect, it } from 'vitest';
import { testbedWords } from '../ui/shell/top-bar.tsx';
import {
  initialLiveState,
  type LiveState,
  placeOf,
  reduceLive,
  runningCellOf,
  testbedCellOf,
} from './live-state.ts';
import {
  makeEvent,
  makeExperimentSummary,
  makeProgress,
  makeRunSummary,
  makeSnapshotEvent,
} from './testing/live-factories.ts';
import { timeLeftAt } from './time-left.ts';

const logLine = { at: 1, level: 'info', source: 'server', text: 'run 3 prepared' } as const;

function play(
  events: readonly Parameters<typeof reduceLive>[1][],
  from: LiveState = initialLiveState,
): LiveState {
  return events.reduce((state, event) => reduceLive(state, event, 5000), from);
}

const started = play([
  makeSnapshotEvent({ active: [makeExperimentSummary()] }, 10),
  makeEvent(11, { event: 'run', data: makeRunSummary() }),
]);

describe('place of an event', () => {
  it('needs a snapshot first', () => {
    expect(placeOf(initialLiveState, makeEvent(1, { event: 'run', data: makeRunSummary() }))).toBe('gap');
  });

  it('distinguishes next, duplicate and gap', () => {
    const at = (id: number) => placeOf(started, makeEvent(id, { event: 'log', data: logLine }));
    expect([at(12), at(11), at(3), at(13)]).toEqual(['next', 'duplicate', 'duplicate', 'gap']);
  });

  it('accepts any id after an initial snapshot, then requires consecutive ids', () => {
    const fresh = play([makeSnapshotEvent({}, 0), makeEvent(5000, { event: 'log', data: logLine })]);
    expect(fresh.lastId).toBe(5000);
    expect(placeOf(fresh, makeEvent(5002, { event: 'log', data: logLine }))).toBe('gap');
  });

  it('accepts a snapshot at any time, also with a smaller id', () => {
    const again = play([makeSnapshotEvent({}, 2)], started);
    expect(again).toMatchObject({ lastId: 2, active: [], current: [] });
  });
});

describe('current runs', () => {
  it('ignores duplicates and events after a gap', () => {
    const frame = makeEvent(12, { event: 'progress', data: makeProgress() });
    const once = play([frame], started);
    expect(play([frame], once)).toBe(once);
    expect(play([makeEvent(19, { event: 'progress', data: makeProgress({ atMs: 9000 }) })], once)).toBe(once);
    expect(once.current[0]?.progress).toHaveLength(1);
  });

  it('keeps frames of a role in time order and drops those from the past', () => {
    const state = play(
      [
        makeEvent(12, { event: 'progress', data: makeProgress({ atMs: 1000 }) }),
        makeEvent(13, { event: 'progress', data: makeProgress({ atMs: 1000, role: 'broker' }) }),
        makeEvent(14, { event: 'progress', data: makeProgress({ atMs: 500 }) }),
        makeEvent(15, { event: 'progress', data: makeProgress({ atMs: 2000 }) }),
      ],
      started,
    );
    const frames = state.current[0]?.progress.map(({ role, atMs }) => [role, atMs]);
    expect(frames).toEqual([
      ['subscriber', 1000],
      ['broker', 1000],
      ['subscriber', 2000],
    ]);
  });

  it('stores the duration of a phase', () => {
    const tls = { role: 'publisher', phase: 'tls' } as const;
    const state = play(
      [
        makeEvent(12, { event: 'phase', data: { ...tls, durationUs: null } }),
        makeEvent(13, { event: 'phase', data: { ...tls, role: 'subscriber', durationUs: null } }),
        makeEvent(14, { event: 'phase', data: { ...tls, durationUs: 3100 } }),
      ],
      started,
    );
    expect(state.current[0]?.phases).toEqual([
      { ...tls, durationUs: 3100 },
      { ...tls, role: 'subscriber', durationUs: null },
    ]);
  });

  it('keeps a finished run until the next one starts', () => {
    const settled = play(
      [
        makeEvent(12, { event: 'progress', data: makeProgress() }),
        makeEvent(13, { event: 'run', data: makeRunSummary({ status: 'done' }) }),
      ],
      started,
    );
    expect(settled.current).toMatchObject([{ run: { id: 3, status: 'done' }, progress: [{ atMs: 1000 }] }]);
    const next = play([makeEvent(14, { event: 'run', data: makeRunSummary({ id: 4 }) })], settled);
    expect(next.current).toMatchObject([{ run: { id: 4 }, progress: [] }]);
    const late = play([makeEvent(15, { event: 'run', data: makeRunSummary({ status: 'failed' }) })], next);
    expect(late.current).toMatchObject([{ run: { id: 4 } }]);
  });

  it('ignores frames of a run it does not know', () => {
    const state = play([makeEvent(12, { event: 'progress', data: makeProgress(), runId: 99 })], started);
    expect(state.current[0]?.progress).toEqual([]);
  });
});

describe('experiments, log and clock', () => {
  it('lists only experiments that are queued, running or paused', () => {
    const paused = makeEvent(12, { event: 'experiment', data: makeExperimentSummary({ status: 'paused' }) });
    const queued = makeEvent(13, {
      event: 'experiment',
      data: makeExperimentSummary({ id: 8, status: 'queued' }),
    });
    const done = makeEvent(14, { event: 'experiment', data: makeExperimentSummary({ status: 'done' }) });
    const ids = (state: LiveState) => state.active.map(({ id, status }) => [id, status]);
    expect(ids(play([paused, queued], started))).toEqual([
      [7, 'paused'],
      [8, 'queued'],
    ]);
    expect(ids(play([paused, queued, done], started))).toEqual([[8, 'queued']]);
  });

  it('numbers log lines so that equal ones stay apart', () => {
    const entry = { experimentId: 7, runId: 3, line: logLine };
    const state = play([
      makeSnapshotEvent({ log: [entry, entry] }, 1),
      makeEvent(2, { event: 'log', data: logLine }),
    ]);
    expect(state.log.map((item) => item.sequence)).toEqual([0, 1, 2]);
  });

  it('uses the clock offset of the least delayed event', () => {
    const line = (id: number, at: number) => makeEvent(id, { event: 'log', data: logLine, at });
    const state = play([line(12, 4200), line(13, 5080), line(14, 4900)], started);
    expect(state.clockOffsetMs).toBe(80);
  });
});

type Device = TestbedStatus['devices'][number];

function testbedOf(
  devices: readonly Pick<Device, 'online' | 'standby'>[],
  part: Partial<TestbedStatus> = {},
): TestbedStatus {
  return {
    testbedId: 'bench',
    name: 'Bench',
    externalBroker: null,
    externalDevice: null,
    busyWith: null,
    devices: devices.map((device, index) => ({
      deviceId: `pi-${index}`,
      name: `pi-${index}`,
      role: 'publisher',
      capabilities: null,
      ...device,
    })),
    ...part,
  };
}

const on = { online: true };
const off = { online: false };
const standby = { online: true, standby: true };

function wordsOf(...testbeds: TestbedStatus[]): string {
  const cell = testbedCellOf({ ready: true, testbeds });
  return cell ? `${cell.name}: ${testbedWords(cell)}` : String(cell);
}

describe('the testbed in the top bar', () => {
  it.each([
    ['counts those on standby by themselves', [on, on, on, standby, standby], '3 online, 2 on standby'],
    ['says who is off', [on, off, on], '2 online, 1 off'],
    ['reports when all devices are off', [off, off, off], '3 off'],
    [
      'does not count a missing stand-in as an offline device',
      [off, off, off, { ...standby, online: false }],
      '3 off, 1 on standby',
    ],
  ])('%s', (_what, devices, words) => {
    expect(wordsOf(testbedOf(devices))).toBe(`Bench: idle, ${words}`);
    expect(wordsOf(testbedOf(devices, { busyWith: 7 }))).toBe(`Bench: in use, ${words}`);
  });

  it('is the one in use, otherwise the first', () => {
    const first = testbedOf([on], { name: 'First' });
    const second = testbedOf([on, on], { name: 'Second' });
    expect(wordsOf(first, second)).toBe('First: idle, 1 online');
    expect(wordsOf(first, { ...second, busyWith: 7 })).toBe('Second: in use, 2 online');
    expect(wordsOf()).toBe('null');
    expect(testbedCellOf({ ready: false, testbeds: [first] })).toBeUndefined();
  });
});

describe('the running experiment in the top bar', () => {
  it('counts down from the last report of the server, like the experiment page', () => {
    const experiment = makeExperimentSummary({ id: 7, status: 'running', timeLeftMs: 300_000 });
    const state = { ready: true, active: [experiment], reportedAt: { 7: 1_000_000 } };
    for (const nowMs of [1_000_000, 1_070_000]) {
      expect(runningCellOf(state, nowMs)?.leftMs).toBe(timeLeftAt(experiment, 1_000_000, nowMs)?.leftMs);
    }
    expect(runningCellOf(state, 1_070_000)?.leftMs).toBe(230_000);
    expect(runningCellOf({ ...state, active: [] }, 1_070_000)).toBeNull();
  });
});
