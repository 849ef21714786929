import { describe, expect, it } from 'vitest';
import type { Threshold } from '../domain/plans/experiment-draft.ts';
import type { Treatment } from '../domain/plans/plan.ts';
import type { Resolution } from '../messages/http.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import { detectableDifference } from './resolution.ts';
import { findUnresolvableThresholds } from './threshold-resolution.ts';

const spread: Resolution = {
  metric: 'latency.p50',
  unit: 'ms',
  scale: 'ratio',
  sdOfDifferences: 0.1,
  level: 0.95,
  contrasts: 5,
  fromRuns: 30,
  fromExperiments: [1],
  sameFactors: true,
};

const [slow, fast] = tourTreatments();

/** The first two treatments of the tour. */
function tourTreatments(): [Treatment, Treatment] {
  const parsed = parsePlan(makeDraft(), makeTestbed());
  const [first, second] = parsed.ok ? parsed.plan.treatments : [];
  if (!first || !second) throw new Error('the tour has treatments');
  return [first, second];
}

function warn(
  threshold: Partial<Threshold>,
  repetitions: number,
  known: Resolution | null = spread,
  earlier: { treatmentKey: string; value: number }[] = [],
) {
  const whole: Threshold = { metric: 'latency.p50', of: 'baseline', ...threshold };
  const plan = { thresholds: [whole], repetitions, treatments: [slow, fast], stopping: null };
  return findUnresolvableThresholds(plan, { resolutionOf: () => known, valuesOf: () => earlier });
}

const valuesOf = ({ key }: Treatment, values: readonly number[]) =>
  values.map((value) => ({ treatmentKey: key, value }));

describe('findUnresolvableThresholds', () => {
  it('names the repetitions that resolve a limit of a baseline', () => {
    const [warning] = warn({ atMost: 110 }, 3);
    expect(warning?.field).toBe('thresholds[0]');
    const enough = Number(/about (\d+) repetitions/.exec(warning?.remedy ?? '')?.[1]);
    expect(enough).toBeGreaterThan(3);
    expect(warn({ atMost: 110 }, enough)).toEqual([]);
    expect(warn({ atMost: 110 }, enough - 1)).toHaveLength(1);
    // The family of the comparison does not matter: each threshold has its own interval.
    expect(detectableDifference({ ...spread, contrasts: 1 }, enough)).toBeLessThanOrEqual(10);
  });

  it('names the limit that these repetitions resolve', () => {
    const limit = Number(/limit of at least (\d+) %/.exec(warn({ atMost: 110 }, 5)[0]?.remedy ?? '')?.[1]);
    expect(limit).toBeGreaterThan(110);
    expect(warn({ atMost: limit }, 5)).toEqual([]);
    const below = Number(/limit of at most (\d+) %/.exec(warn({ atLeast: 95 }, 5)[0]?.remedy ?? '')?.[1]);
    expect(below).toBeLessThan(95);
    expect(warn({ atLeast: below }, 5)).toEqual([]);
  });

  it('offers only another limit if no number of repetitions resolves it', () => {
    const [warning] = warn({ atMost: 100 }, 10);
    expect(warning?.remedy).not.toMatch(/repetitions/);
    expect(warning?.remedy).toMatch(/limit of at least 1\d\d %/);
  });

  it('warns below three repetitions, also about absolute limits and without earlier runs', () => {
    expect(warn({ atMost: 20, of: 'value' }, 2, null)[0]?.remedy).toContain('at least 3 repetitions');
    expect(warn({ atMost: 140 }, 2, null)).toHaveLength(1);
    expect(warn({ atMost: 20, of: 'value' }, 3, null)).toEqual([]);
    expect(warn({ atMost: 101 }, 3, null)).toEqual([]);
  });

  it('warns about an absolute limit close to what a treatment had earlier', () => {
    // Geometric mean 20 ms, standard deviation of the logarithms 0.1.
    const earlier = [
      ...valuesOf(
        slow,
        [-0.1, 0, 0.1].map((log) => 20 * Math.exp(log)),
      ),
      ...valuesOf(fast, [1, 1.1, 0.9]),
    ];
    const at = (atMost: number, repetitions: number) =>
      warn({ atMost, of: 'value' }, repetitions, null, earlier);
    const [warning] = at(21, 3);
    expect(warning?.reason.replaceAll('\u00a0', ' ')).toContain(
      `for ${slow.shortLabel}, which had 20.0 ms in 3 earlier runs`,
    );
    // scipy 1.17, one-sample t test of 0.1: 3.264043549819916 standard deviations at n = 3, 80 % power.
    const bound = 20 * Math.exp(0.3264043549819916);
    expect(Number(/at least ([\d.]+)/.exec(warning?.remedy ?? '')?.[1])).toBeCloseTo(bound, 1);
    expect(at(bound * 1.01, 3)).toEqual([]);
    const enough = Number(/about (\d+) repetitions/.exec(warning?.remedy ?? '')?.[1]);
    expect(at(21, enough)).toEqual([]);
    expect(at(21, enough - 1)).toHaveLength(1);
    // A lower limit that only the fast treatment is close to.
    const lower = warn({ atLeast: 0.95, of: 'value' }, 3, null, earlier);
    expect(lower[0]?.reason).toContain(fast.shortLabel);
    expect(lower[0]?.remedy).toMatch(/a limit of at most 7\d\d.µs/);
    const qos = { qos: [fast.spec.qos] };
    expect(warn({ atMost: 21, of: 'value', where: qos }, 3, null, earlier)).toEqual([]);
  });

  it('does not warn about an absolute limit that every earlier run kept, or without earlier runs', () => {
    const none = { metric: 'count.lost', atMost: 0, of: 'value' } as const;
    expect(warn(none, 3, null, valuesOf(slow, [0, 0, 0]))).toEqual([]);
    expect(warn(none, 3, null, valuesOf(slow, [0, 0, 1]))[0]?.remedy).toMatch(/a limit of at least \d/);
    expect(warn({ atMost: 21, of: 'value' }, 3, null, valuesOf(slow, [20, 22]))).toEqual([]);
  });

  it('does not warn about metrics that are the same in every run', () => {
    const exact = { metric: 'wire.perMessage', atMost: 16, of: 'value' } as const;
    expect([1, 2].map((count) => warn(exact, count, null).length)).toEqual([1, 0]);
    expect(warn({ atMost: 101 }, 3, { ...spread, sdOfDifferences: 0 })).toEqual([]);
  });
});
