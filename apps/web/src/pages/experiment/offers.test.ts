import { experimentStatuses } from '@mqttlab/shared/domain/runs/statuses';
import { describe, expect, it } from 'vitest';
import { makeExperimentSummary } from '../../live/testing/live-factories.ts';
import { offersFor } from './offers.tsx';

const wholeProgress = { trials: 6, done: 6, failed: 0, cancelled: 0, flagged: 0, retried: 0, running: 0 };

function actionsOf(status: (typeof experimentStatuses)[number], part: Partial<typeof wholeProgress> = {}) {
  const progress = { ...wholeProgress, ...part };
  return offersFor(makeExperimentSummary({ status, progress })).map(({ action }) => action);
}

describe('available actions of an experiment', () => {
  it('fits its status', () => {
    expect(Object.fromEntries(experimentStatuses.map((status) => [status, actionsOf(status)]))).toEqual({
      draft: [],
      queued: ['cancel'],
      running: ['pause', 'stop-after-run', 'cancel'],
      pausing: ['resume', 'stop-after-run', 'cancel'],
      paused: ['resume', 'stop-after-run', 'cancel'],
      stopping: ['cancel'],
      done: ['clone'],
      stopped: ['clone'],
      cancelled: ['clone'],
    });
  });

  it('includes retrying failed trials while nothing runs', () => {
    const failed = { done: 5, failed: 1 };
    expect(actionsOf('done', failed)).toEqual(['retry-failed', 'clone']);
    expect(actionsOf('paused', failed)[0]).toBe('retry-failed');
    expect(actionsOf('running', failed)).not.toContain('retry-failed');
  });

  it('includes the remaining trials of a stopped or cancelled experiment', () => {
    expect(actionsOf('stopped', { done: 2 })).toEqual(['retry-failed', 'clone']);
    expect(actionsOf('paused', { done: 2 })).not.toContain('retry-failed');
  });

  it('never has more than one primary button', () => {
    for (const status of experimentStatuses) {
      const offers = offersFor(makeExperimentSummary({ status, progress: { ...wholeProgress, failed: 1 } }));
      expect(offers.filter((offer) => offer.primary).length).toBeLessThanOrEqual(1);
    }
  });
});
