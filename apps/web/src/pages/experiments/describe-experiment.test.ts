import type { ExperimentSummary, Headline } from '@mqttlab/shared/domain/runs/experiment';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { describe, expect, it } from 'vitest';
import { experimentPath, experimentTitle, formatClock } from '../../ui/format.ts';
import {
  canCompare,
  countValidity,
  describeHeadline,
  describeStatus,
  describeWaiting,
  variedWords,
  whyNoResult,
} from './describe-experiment.ts';

const now = Date.UTC(2026, 10, 21, 12);

function makeSummary(change: Partial<ExperimentSummary> = {}): ExperimentSummary {
  return {
    id: 7,
    name: 'Batching',
    question: '',
    status: 'done',
    tags: [],
    notes: '',
    testbedId: 'local',
    varied: [],
    createdAt: now,
    updatedAt: now,
    startedAt: null,
    startedBy: null,
    finishedAt: null,
    timeLeftMs: null,
    headline: null,
    deletedAt: null,
    imported: null,
    ...change,
    progress: {
      trials: 18,
      done: 0,
      failed: 0,
      cancelled: 0,
      flagged: 0,
      retried: 0,
      running: 0,
      ...change.progress,
    },
  };
}

const progress = (change: Partial<ExperimentSummary['progress']>) => ({
  ...makeSummary().progress,
  ...change,
});

describe('describeStatus', () => {
  it.each([
    [
      { status: 'running', timeLeftMs: 23 * 60_000 },
      { kind: 'running', note: '23 min left' },
    ],
    [
      { status: 'running', progress: progress({ done: 2 }) },
      { kind: 'running', note: '2 of 18' },
    ],
    [{ status: 'pausing' }, { kind: 'running', word: 'Pausing', note: 'after this run' }],
    [
      { status: 'paused', progress: progress({ done: 5, failed: 1 }) },
      { kind: 'paused', note: 'after trial 6' },
    ],
    [{ status: 'draft' }, { kind: 'draft', note: 'not started' }],
    [
      { status: 'done', startedAt: now - 81_000, finishedAt: now, progress: progress({ done: 18 }) },
      { kind: 'done', note: '81 s' },
    ],
    [
      { status: 'done', progress: progress({ failed: 18 }) },
      { kind: 'failed', word: 'All failed', note: '' },
    ],
    [
      { status: 'done', progress: progress({ done: 18, flagged: 18 }) },
      { kind: 'flagged', word: 'Done', note: '' },
    ],
  ] as const)('says %j as %j', (change, words) => {
    expect(describeStatus(makeSummary(change))).toEqual(words);
  });
});

describe('describeHeadline', () => {
  const headline: Headline = {
    metric: 'latency.p50',
    who: 'A against B',
    figure: '+4.1\u00a0%\u00a0[2.9, 5.3]',
    sentence: 'A has a 4.1 % [2.9, 5.3] higher median latency than B.',
    outcome: 'resolved',
    scale: 'ratio',
    value: 1.041,
    lo: 1.029,
    hi: 1.053,
    p: 0.01,
    points: [],
  };

  it('summarises the result in a few words', () => {
    expect(describeHeadline(headline)).toEqual({
      figure: '+4.1 % [2.9, 5.3]',
      contrast: 'A vs B',
      metric: 'Latency, median',
    });
  });

  it('keeps the id of a metric it does not know', () => {
    expect(describeHeadline({ ...headline, metric: 'x.y' }).metric).toBe('x.y');
  });
});

describe('rows', () => {
  it('counts flagged runs separately', () => {
    expect(countValidity(makeSummary({ progress: progress({ done: 41, flagged: 1, failed: 2 }) }))).toEqual({
      valid: 40,
      flagged: 1,
      failed: 2,
    });
  });

  it('links drafts to the wizard and other experiments to their page', () => {
    expect(experimentPath({ id: 3, status: 'draft' })).toBe('/experiments/3/edit');
    expect(experimentPath({ id: 3, status: 'queued' })).toBe('/experiments/3');
  });

  it('compares only experiments with a finished run', () => {
    expect(canCompare(makeSummary())).toBe(false);
    expect(canCompare(makeSummary({ progress: progress({ done: 1 }) }))).toBe(true);
  });

  it('writes factors in sentence case, abbreviations unchanged', () => {
    expect(variedWords(['Protocol', 'QoS', 'MQTT version', 'Cipher suite'])).toBe(
      'protocol × QoS × MQTT version × cipher suite',
    );
  });

  it.each([
    [{ status: 'running' }, null],
    [{ status: 'draft' }, null],
    [{ status: 'cancelled' }, 'no trial finished'],
    [{ status: 'done', progress: progress({ failed: 18 }) }, 'every trial failed'],
    [{ status: 'done', progress: progress({ done: 3, flagged: 3 }) }, 'every run is flagged'],
    [{ status: 'stopped', progress: progress({ done: 3 }) }, 'too few valid runs'],
  ] as const)('%j has no result: %s', (change, reason) => {
    expect(whyNoResult(makeSummary(change))).toBe(reason);
  });

  it('names untitled experiments', () => {
    expect(experimentTitle('  ')).toBe('Untitled experiment');
  });
});

const untilAt = Date.UTC(2026, 10, 22, 14, 5, 20);

function testbedWith(part: Partial<TestbedStatus>): TestbedStatus {
  return {
    testbedId: 'bench',
    name: 'Bench',
    externalBroker: null,
    externalDevice: null,
    busyWith: null,
    devices: ['pi-1', 'pi-2'].map((deviceId) => ({
      deviceId,
      name: `The ${deviceId}`,
      role: 'publisher' as const,
      online: true,
      capabilities: null,
    })),
    ...part,
  };
}

const running = { id: 7, status: 'running' } as const;
const queued = { id: 7, status: 'queued' } as const;

describe('the reason why an experiment waits', () => {
  it('are devices with possible results, by name, with the time and a remedy', () => {
    const waiting = { deviceIds: ['pi-2'], runIds: [12], untilAt };
    const words = describeWaiting(running, testbedWith({ busyWith: 7, waiting }));
    expect(words).toMatchObject({
      short: 'waits for The pi-2',
      reason: `Waiting for The pi-2 until ${formatClock(untilAt)}: it may have undelivered results from run 12.`,
      remedy: expect.stringContaining('switched on and connected'),
    });
    const both = { ...waiting, deviceIds: ['pi-1', 'pi-2'], runIds: [12, 13] };
    expect(describeWaiting(running, testbedWith({ busyWith: 7, waiting: both }))?.reason).toContain(
      'The pi-1 and The pi-2 until',
    );
    const bench = testbedWith({ busyWith: 7, waiting: both });
    const oneBack = bench.devices.map((device) => ({ ...device, online: device.deviceId === 'pi-1' }));
    expect(describeWaiting(running, { ...bench, devices: oneBack })?.short).toBe('waits for The pi-2');
    // The wait belongs to another experiment.
    expect(describeWaiting(queued, testbedWith({ busyWith: 5, waiting }))?.short).toBe('after E-5');
  });

  it('is a device that was drained, also in the middle of an experiment', () => {
    const drained = testbedWith({ draining: ['pi-1'] });
    for (const experiment of [queued, running]) {
      expect(describeWaiting(experiment, drained)).toMatchObject({
        short: 'The pi-1 drained',
        remedy: expect.stringContaining('Resume runs'),
      });
    }
    // The current run continues to its end.
    expect(describeWaiting(running, testbedWith({ draining: ['pi-1'], busyWith: 7 }))).toBeNull();
  });

  it('is the experiment or pre-flight that uses the testbed', () => {
    expect(describeWaiting(queued, testbedWith({ busyWith: 5 }))?.reason).toBe('E-5 is using Bench.');
    expect(describeWaiting(queued, testbedWith({ probing: { done: 1, total: 2 } }))?.short).toBe(
      'after a pre-flight',
    );
  });

  it('is absent during a run, and if no run will follow', () => {
    expect(describeWaiting(running, testbedWith({ busyWith: 7 }))).toBeNull();
    expect(describeWaiting(queued, testbedWith({}))).toBeNull();
    expect(describeWaiting(queued, undefined)).toBeNull();
    for (const status of ['done', 'paused', 'draft'] as const) {
      expect(describeWaiting({ id: 7, status }, testbedWith({ busyWith: 5, draining: ['pi-1'] }))).toBeNull();
    }
  });
});
