import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { LiveEvent } from '@mqttlab/shared/messages/live';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { type EventWatch, type Happening, startEventWatch } from './watch-events.ts';

const stores = makeTestStores();
const played = playExperiment(stores);
const base = stores.experiments.findExperimentSummary(played.id) as ExperimentSummary;
const baseRun = played.runs[0] as RunSummary;

let published: string[];
let watch: EventWatch;
let testbed: TestbedStatus | null;
beforeEach(() => {
  vi.useFakeTimers();
  published = [];
  testbed = { ...makeTestbed(), busyWith: null };
  watch = startEventWatch({
    experiments: { listActiveExperiments: () => [], findExperimentSummary: () => base },
    testbeds: { findTestbed: () => testbed },
    onHappening: (happening: Happening) => published.push(happening.event),
    onError: (error) => {
      throw error;
    },
    awayMs: 10_000,
    nowMs: Date.now,
  });
});
afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

const take = (event: Partial<LiveEvent>) =>
  watch.take({ id: 1, at: 5, experimentId: null, runId: null, ...event } as LiveEvent);

function experiment(status: ExperimentSummary['status'], change: Partial<ExperimentSummary> = {}): void {
  take({ event: 'experiment', data: { ...base, status, ...change } });
}

describe('of experiments', () => {
  const life = (...statuses: ExperimentSummary['status'][]) => {
    experiment('draft', { startedAt: null });
    experiment('queued', { startedAt: null });
    for (const status of statuses) experiment(status, { startedAt: 7 });
    return published;
  };

  it('start and end are reported once, however often they occur', () => {
    expect(life('running', 'running', 'running', 'done', 'done')).toEqual([
      'experiment.started',
      'experiment.done',
    ]);
  });

  it('a pause is reported when it begins, and resuming is not a second start', () => {
    expect(life('running', 'pausing', 'paused', 'queued', 'running')).toEqual([
      'experiment.started',
      'experiment.paused',
    ]);
  });

  it('cancelled and stopped are reported the same way', () => {
    expect(life('running', 'cancelled')).toEqual(['experiment.started', 'experiment.cancelled']);
    published.length = 0;
    expect(life('running', 'stopping', 'stopped')).toContain('experiment.cancelled');
  });

  it('an experiment that ends with failed trials has failed', () => {
    life('running');
    experiment('done', { startedAt: 7, progress: { ...base.progress, failed: 1 } });
    expect(published).toEqual(['experiment.started', 'experiment.failed']);
  });

  it('an experiment that ended before is not reported', () => {
    experiment('done');
    experiment('done', { name: 'renamed' });
    expect(published).toEqual([]);
  });

  it('an experiment that was running when the server started is not reported as started, but its end is', () => {
    watch = startEventWatch({
      experiments: {
        listActiveExperiments: () => [
          { ...stores.experiments.findExperiment(played.id)!, status: 'running', startedAt: 7 },
        ],
        findExperimentSummary: () => base,
      },
      testbeds: { findTestbed: () => testbed },
      onHappening: (happening) => published.push(happening.event),
      onError: console.error,
      awayMs: 1,
      nowMs: Date.now,
    });
    experiment('running', { startedAt: 7 });
    experiment('done', { startedAt: 7 });
    expect(published).toEqual(['experiment.done']);
  });
});

describe('of runs', () => {
  const run = (change: Partial<RunSummary>) => take({ event: 'run', data: { ...baseRun, ...change } });

  it('failed and flagged ones are reported once', () => {
    run({ id: 1, status: 'running' });
    run({ id: 1, status: 'failed' });
    run({ id: 1, status: 'failed', notes: 'seen' });
    run({ id: 2, status: 'collecting', flagged: false });
    run({ id: 2, status: 'done', flagged: true });
    run({ id: 3, status: 'running' });
    run({ id: 3, status: 'done', flagged: false });
    run({ id: 4, status: 'running' });
    run({ id: 4, status: 'cancelled' });
    expect(published).toEqual(['run.failed', 'run.flagged']);
  });

  it('a note on an old run is not reported', () => {
    run({ id: 9, status: 'done', flagged: true, notes: 'later' });
    expect(published).toEqual([]);
  });
});

describe('of devices', () => {
  const devices = (online: boolean, change: { standby?: boolean } = {}) => {
    testbed = testbed && {
      ...testbed,
      devices: testbed.devices.map((device) =>
        device.role === 'broker' ? { ...device, ...change, online } : { ...device, online: true },
      ),
    };
    if (testbed) take({ event: 'testbed', data: testbed });
  };

  it('losses and returns are reported; the first contact is not', () => {
    devices(false);
    vi.advanceTimersByTime(60_000);
    devices(true);
    expect(published).toEqual([]);
    devices(false);
    devices(false);
    vi.advanceTimersByTime(60_000);
    expect(published).toEqual(['device.offline']);
    devices(true);
    devices(true);
    expect(published).toEqual(['device.offline', 'device.online']);
  });

  it('a device that is back at once, was removed or is on standby is not reported', () => {
    devices(true);
    devices(false);
    vi.advanceTimersByTime(9_000);
    devices(true);
    vi.advanceTimersByTime(60_000);
    devices(false, { standby: true });
    vi.advanceTimersByTime(60_000);
    devices(true, { standby: false });
    devices(false);
    testbed = null;
    vi.advanceTimersByTime(60_000);
    expect(published).toEqual([]);
  });
});
