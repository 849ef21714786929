import { describe, expect, it } from 'vitest';
import type { Threshold } from '../domain/plans/experiment-draft.ts';
import type { Resolution } from '../messages/http.ts';
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
};

function warn(threshold: Partial<Threshold>, repetitions: number, known: Resolution | null = spread) {
  const whole: Threshold = { metric: 'latency.p50', of: 'baseline', ...threshold };
  return findUnresolvableThresholds({ thresholds: [whole], repetitions }, () => known);
}

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

  it('does not warn about metrics that are the same in every run', () => {
    const exact = { metric: 'wire.perMessage', atMost: 16, of: 'value' } as const;
    expect([1, 2].map((count) => warn(exact, count, null).length)).toEqual([1, 0]);
    expect(warn({ atMost: 101 }, 3, { ...spread, sdOfDifferences: 0 })).toEqual([]);
  });
});
