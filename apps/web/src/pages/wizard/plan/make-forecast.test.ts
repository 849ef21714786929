import type { PlanCheck } from '@mqttlab/shared/messages/http';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { makeForecast } from './make-forecast.ts';
import { makePlanSoFar } from './plan-so-far.ts';

const draft = makeDraft();
const planning = makePlanSoFar(draft, makeTestbed());

function makeCheck(change: Partial<PlanCheck> = {}): PlanCheck {
  const estimate = {
    treatments: 6,
    repetitions: 3,
    runs: 18,
    runMs: 4000,
    durationMs: 72_000,
    dataBytes: 1000,
    source: 'observed' as const,
    startsAt: 1_000_000,
    finishesAt: 1_072_000,
    diskFreeBytes: 5e9,
  };
  return { issues: [], treatments: [], excluded: [], estimate, resolution: null, ...change };
}

describe('makeForecast', () => {
  it('counts by itself before the server has answered', () => {
    const forecast = makeForecast(planning, null);
    expect(forecast.estimate).toMatchObject({ runs: 18, source: 'guess' });
    expect(forecast).toMatchObject({
      startsAt: null,
      finishesAt: null,
      resolution: undefined,
      isConfirmed: false,
    });
  });

  it('agrees with the server about the draft it was asked about', () => {
    const forecast = makeForecast(planning, { check: makeCheck(), asked: draft, isCurrent: true });
    expect(forecast.estimate).toMatchObject({ runMs: 4000, durationMs: 72_000, source: 'observed' });
    expect(forecast.finishesAt).toBe(1_072_000);
    expect(forecast.resolution).toBeNull();
  });

  it('takes the overhead over to a draft that the server has not seen yet', () => {
    const longer = makeDraft({ workload: { ...draft.workload, measureMs: 12_500 }, repetitions: 6 });
    const forecast = makeForecast(makePlanSoFar(longer, makeTestbed()), {
      check: makeCheck(),
      asked: draft,
      isCurrent: false,
    });
    expect(forecast.estimate?.runMs).toBe(14_000);
    expect(forecast.finishesAt).toBe(1_000_000 + 36 * 14_000);
  });

  it('does not show the resolution of another response', () => {
    const resolution = {
      metric: 'latency.p99',
      unit: 'ms',
      scale: 'difference' as const,
      sd: 1,
      mean: 2,
      fromRuns: 9,
      fromExperiments: [1],
      contrasts: 5,
    };
    const forecast = makeForecast(planning, {
      check: makeCheck({ resolution }),
      asked: draft,
      isCurrent: false,
    });
    expect(forecast.resolution).toBeUndefined();
  });

  it('adds what only the server sees, and only for the draft on screen', () => {
    const issues = [{ field: 'testbedId', reason: 'disk is full', remedy: 'Make room.' }];
    const answer = { check: makeCheck({ issues, estimate: null }), asked: draft };
    expect(makeForecast(planning, { ...answer, isCurrent: true }).serverIssues).toEqual(issues);
    expect(makeForecast(planning, { ...answer, isCurrent: false }).serverIssues).toEqual([]);
  });
});
