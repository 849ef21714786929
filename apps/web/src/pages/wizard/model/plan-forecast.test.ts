import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { PlanCheck } from '@mqttlab/shared/messages/http';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it, vi } from 'vitest';
import { isSamePlan, makeForecast, makePlanSoFar, multipliersOf } from './plan-forecast.ts';

describe('makePlanSoFar', () => {
  it('counts the tour: 3 securities x 2 QoS x 3 repetitions', () => {
    const soFar = makePlanSoFar(makeDraft(), makeTestbed());
    expect(soFar).toMatchObject({ issues: [], treatments: 6, repetitions: 3, runs: 18, excluded: 0 });
    expect(multipliersOf(soFar)).toEqual([
      { label: 'Security', count: 3 },
      { label: 'QoS', count: 2 },
    ]);
  });

  it('counts and plans without a name, and still requires one', () => {
    const soFar = makePlanSoFar(makeDraft({ name: ' ' }), makeTestbed());
    expect(soFar.plan?.trials.length).toBe(18);
    expect(soFar.issues.map((issue) => issue.field)).toEqual(['name']);
  });

  it('does not depend on the text of the question, but on the presence of a name', () => {
    const draft = makeDraft();
    expect(isSamePlan(draft, { ...draft, name: 'Another', question: 'Why?', notes: 'n' })).toBe(true);
    expect(isSamePlan(draft, { ...draft, name: ' ' })).toBe(false);
    expect(isSamePlan(draft, { ...draft, factors: { ...draft.factors } })).toBe(false);
  });

  it('counts treatments while repetitions are invalid', () => {
    const soFar = makePlanSoFar(makeDraft({ repetitions: 0 }), makeTestbed());
    expect(soFar).toMatchObject({ plan: null, treatments: 6, runs: 0 });
    expect(soFar.issues.map((issue) => issue.field)).toEqual(['repetitions']);
  });

  it('keeps impossible combinations in the count', () => {
    const draft = makeDraft({
      factors: { security: ['TLS 1.2', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] },
    });
    expect(makePlanSoFar(draft, makeTestbed())).toMatchObject({ treatments: 1, excluded: 1 });
  });

  it('does not list more combinations than planning allows', () => {
    const many = Array.from({ length: 200 }, (_, i) => i + 1);
    const draft = makeDraft({ factors: { readingBytes: many, rate: many } });
    const soFar = makePlanSoFar(draft, makeTestbed());
    expect(soFar).toMatchObject({ combinations: 40_000, cells: [], plan: null });
    expect(soFar.issues[0]?.field).toBe('factors');
  });

  it('counts and forecasts 10,000 treatments without expanding them, and expands them once when they are shown', () => {
    const sizes = Array.from({ length: 100 }, (_, i) => i + 1);
    const factors = { security: ['plain'], readingBytes: sizes, keepAlive: sizes };
    const draft = makeDraft({ name: '', factors, repetitions: 1 });
    const refuse = vi.spyOn(findFactor('security')!, 'refuse');
    try {
      const soFar = makePlanSoFar(draft, makeTestbed());
      expect(soFar).toMatchObject({ treatments: 10_000, runs: 10_000, excluded: 0 });
      expect(makeForecast(soFar, null).estimate).toMatchObject({ treatments: 10_000, runs: 10_000 });
      expect(multipliersOf(soFar).map(({ count }) => count)).toEqual([100, 100]);
      // One decision per level of each factor.
      expect(refuse.mock.calls.length).toBeLessThanOrEqual(200);
      refuse.mockClear();
      expect(soFar.plan?.treatments).toHaveLength(10_000);
      expect(soFar.plan?.trials).toHaveLength(10_000);
      expect(refuse.mock.calls.length).toBeLessThanOrEqual(10_200);
    } finally {
      refuse.mockRestore();
    }
  });

  it('omits a product that does not match', () => {
    const draft = makeDraft({ factors: { rate: [100, 10_000], publishers: [1, 500] } });
    expect(multipliersOf(makePlanSoFar(draft, makeTestbed()))).toEqual([]);
  });
});

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
  return {
    issues: [],
    warnings: [],
    treatments: [],
    excluded: [],
    estimate,
    resolution: null,
    earlier: { runs: 0, flagged: 0 },
    ...change,
  };
}

describe('makeForecast', () => {
  it('counts locally before the server has responded', () => {
    const forecast = makeForecast(planning, null);
    expect(forecast.estimate).toMatchObject({ runs: 18, source: 'guess' });
    expect(forecast).toMatchObject({
      startsAt: null,
      finishesAt: null,
      resolution: undefined,
      isConfirmed: false,
    });
  });

  it('agrees with the server on the checked draft', () => {
    const forecast = makeForecast(planning, { check: makeCheck(), asked: draft, isCurrent: true });
    expect(forecast.estimate).toMatchObject({ runMs: 4000, durationMs: 72_000, source: 'observed' });
    expect(forecast.finishesAt).toBe(1_072_000);
    expect(forecast.resolution).toBeNull();
  });

  it('uses the known overhead for a draft that the server has not checked yet', () => {
    const longer = makeDraft({ workload: { ...draft.workload, measureMs: 12_500 }, repetitions: 6 });
    const forecast = makeForecast(makePlanSoFar(longer, makeTestbed()), {
      check: makeCheck(),
      asked: draft,
      isCurrent: false,
    });
    expect(forecast.estimate?.runMs).toBe(14_000);
    expect(forecast.finishesAt).toBe(1_000_000 + 36 * 14_000);
  });

  it('does not show the resolution of a different response', () => {
    const resolution = {
      metric: 'latency.p99',
      unit: 'ms',
      scale: 'difference' as const,
      sdOfDifferences: 1,
      level: 0.95,
      fromRuns: 9,
      fromExperiments: [1],
      sameFactors: true,
      contrasts: 5,
    };
    const forecast = makeForecast(planning, {
      check: makeCheck({ resolution }),
      asked: draft,
      isCurrent: false,
    });
    expect(forecast.resolution).toBeUndefined();
  });

  it('adds issues found by the server, only for the current draft', () => {
    const issues = [{ field: 'testbedId', reason: 'disk is full', remedy: 'Make room.' }];
    const answer = { check: makeCheck({ issues, estimate: null }), asked: draft };
    expect(makeForecast(planning, { ...answer, isCurrent: true }).serverIssues).toEqual(issues);
    expect(makeForecast(planning, { ...answer, isCurrent: false }).serverIssues).toEqual([]);
  });
});
