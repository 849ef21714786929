import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import { describe, expect, it } from 'vitest';
import { makePhaseSteps } from './phase-strip.tsx';
import { makeProgress, makeRunSummary } from './testing/live-factories.ts';

const spec = { security: 'TLS 1.3', warmUpMs: 5000, measureMs: 30_000 } as TrialSpec;

function makeCurrent(part: Partial<CurrentRun> = {}): CurrentRun {
  return { run: makeRunSummary(), phases: [], progress: [], ...part };
}

const stepsOf = (current: CurrentRun, of = spec) =>
  Object.fromEntries(makePhaseSteps(current, of).map(({ phase, ...step }) => [phase, step]));

describe('phase steps', () => {
  it('waits for all phases at the start and omits TLS for plain runs', () => {
    const steps = stepsOf(makeCurrent(), { ...spec, security: 'plain' });
    expect(steps.tls?.state).toBe('left out');
    expect(steps.measure).toEqual({ state: 'waiting', share: 0, durationMs: null, plannedMs: 30_000 });
  });

  it('uses the publisher for connecting and the subscriber for subscribing', () => {
    const steps = stepsOf(
      makeCurrent({
        phases: [
          { role: 'subscriber', phase: 'tls', durationUs: 9000 },
          { role: 'publisher', phase: 'tls', durationUs: 3100 },
          { role: 'subscriber', phase: 'subscribe', durationUs: 480 },
        ],
      }),
    );
    expect(steps.tls).toMatchObject({ state: 'done', share: 1, durationMs: 3.1 });
    expect(steps.subscribe?.durationMs).toBe(0.48);
  });

  it('computes the progress of a phase from the newest frame', () => {
    const phases = [
      { role: 'publisher', phase: 'warm-up', durationUs: 5_000_000 },
      { role: 'publisher', phase: 'measure', durationUs: null },
    ] as const;
    const progress = [makeProgress({ atMs: 18_000 }), makeProgress({ atMs: 17_000, role: 'broker' })];
    expect(stepsOf(makeCurrent({ phases: [...phases], progress })).measure).toMatchObject({
      state: 'running',
      share: 0.6,
      durationMs: 18_000,
    });
  });

  it('keeps the progress of the warm-up between 0 and 1', () => {
    const phases: CurrentRun['phases'] = [{ role: 'publisher', phase: 'warm-up', durationUs: null }];
    const at = (atMs: number) =>
      stepsOf(makeCurrent({ phases, progress: [makeProgress({ atMs })] }))['warm-up'];
    expect(at(-4000)).toMatchObject({ share: 0.2, durationMs: 1000 });
    expect(at(400)).toMatchObject({ share: 1, durationMs: 5000 });
  });
});
