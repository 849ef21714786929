import { describe, expect, it } from 'vitest';
import type { Threshold } from '../domain/plans/experiment-draft.ts';
import type { Comparison } from '../domain/runs/comparison.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import { makeComparison } from '../testing/make-comparison.ts';
import { judgeThresholds } from './judge-thresholds.ts';

const parsed = parsePlan(makeDraft(), makeTestbed());
if (!parsed.ok) throw new Error('the tour is a plan');
const { plan } = parsed;

/** Runs of every Treatment of the tour: plain at 1.0, each suite 10 % above the one before. */
function makeTour(spread: readonly number[] = [0.99, 1, 1.01]): Comparison {
  return makeComparison(
    (index, block) => ({
      metrics: { 'latency.p50': (1 + Math.floor(index / 2) / 10) * (spread[block - 1] ?? Number.NaN) },
      bases: {},
    }),
    spread.length,
  );
}

function judge(threshold: Partial<Threshold>, comparison = makeTour()) {
  const whole: Threshold = { metric: 'latency.p50', of: 'value', ...threshold };
  return judgeThresholds({ thresholds: [whole], baselineKey: plan.baselineKey }, comparison);
}

const outcomes = (judged: ReturnType<typeof judge>) => judged.map(({ outcome }) => outcome);

describe('judgeThresholds', () => {
  it('holds where the whole interval keeps the limit, on either side', () => {
    expect(new Set(outcomes(judge({ atMost: 1.4 })))).toEqual(new Set(['held']));
    expect(new Set(outcomes(judge({ atLeast: 0.9 })))).toEqual(new Set(['held']));
  });

  it('holds each treatment against the same one of another experiment, and has nothing where that lacks it', () => {
    const before = makeTour().treatments.slice(0, 4);
    const slower = makeTour([1.19, 1.2, 1.21]);
    const judgeAgainst = (atMost: number) =>
      judgeThresholds(
        { thresholds: [{ metric: 'latency.p50', of: 'baseline', atMost }], baselineKey: plan.baselineKey },
        slower,
        before.map((entry) => ({ ...entry, id: `9~${entry.treatment.key}`, experimentId: 9 })),
      );
    const nothing = ['not measured', 'not measured'];
    expect(outcomes(judgeAgainst(130))).toEqual(['held', 'held', 'held', 'held', ...nothing]);
    expect(outcomes(judgeAgainst(110))).toEqual(['broken', 'broken', 'broken', 'broken', ...nothing]);
  });

  it('is broken where the whole interval is beyond, and open where the limit lies within', () => {
    expect(outcomes(judge({ atMost: 1.1 }))).toEqual([
      'held',
      'held',
      'not resolved',
      'not resolved',
      'broken',
      'broken',
    ]);
    expect(outcomes(judge({ atLeast: 1.1 }))).toEqual([
      'broken',
      'broken',
      'not resolved',
      'not resolved',
      'held',
      'held',
    ]);
  });

  it('names rule, figure and unit', () => {
    const [first] = judge({ atMost: 1.4 });
    expect(first?.rule).toBe('Latency, median at most 1.40\u00a0ms');
    expect(first?.measured).toMatch(/^1\.000?\u00a0ms\u00a0\[0\.9\d+,\u00a01\.0\d+\]$/);
  });

  it('compares with the baseline at equal levels of the other factors', () => {
    const judged = judge({ atMost: 105, of: 'baseline' });
    expect(judged.map(({ treatment }) => treatment.treatment.colourLabel)).not.toContain('Plain');
    expect(judged.map(({ value }) => Math.round(value ?? 0))).toEqual([110, 110, 120, 120]);
    expect(new Set(outcomes(judged))).toEqual(new Set(['broken']));
    expect(judged[0]?.rule).toBe('Latency, median at most 105 % of the baseline');
  });

  it('speaks only of the treatments it names', () => {
    const judged = judge({ atMost: 2, where: { security: ['TLS 1.3'], qos: [1] } });
    expect(judged).toHaveLength(2);
    for (const { treatment } of judged) expect(treatment.treatment.levels).toMatchObject({ qos: 1 });
  });

  it('says that one run resolves nothing, and that nothing was measured', () => {
    const [one] = judge({ atMost: 1.4 }, makeTour([1]));
    expect(one).toMatchObject({ outcome: 'not resolved', lo: null });
    expect(one?.measured).toContain('n = 1: no interval');
    const [none] = judge({ atMost: 1, metric: 'energy.publisher' });
    expect(none).toMatchObject({ outcome: 'not measured', value: null });
  });

  it('is certain of values that are the same in every run', () => {
    const bytes = makeTour([1, 1, 1]);
    for (const { runs, treatment } of bytes.treatments) {
      const value = treatment.colourLabel === 'Plain' ? 100 : 266;
      for (const run of runs) run.metrics = { 'wire.perMessage': value };
    }
    const [broken] = judge({ metric: 'wire.perMessage', atMost: 110, of: 'baseline' }, bytes);
    expect(broken).toMatchObject({ outcome: 'broken', lo: null, hi: null });
    expect(broken?.value).toBeCloseTo(266, 9);
    expect(broken?.measured).toContain('266');
    expect(broken?.measured).toContain('the same in every run');
    expect(new Set(outcomes(judge({ metric: 'wire.perMessage', atMost: 300 }, bytes)))).toEqual(
      new Set(['held']),
    );
  });

  it('leaves flagged runs out', () => {
    const comparison = makeTour([0.99, 1, 1.01, 1.02]);
    for (const { runs } of comparison.treatments) {
      const bad = runs[0];
      if (bad) Object.assign(bad, { flagged: true, metrics: { 'latency.p50': 500 } });
    }
    expect(new Set(outcomes(judge({ atMost: 2 }, comparison)))).toEqual(new Set(['held']));
  });
});

describe('thresholds of a draft', () => {
  const issuesOf = (threshold: object) => {
    const result = parsePlan({ ...makeDraft(), thresholds: [threshold] }, makeTestbed());
    return result.ok ? [] : result.issues.map(({ field }) => field);
  };

  it('reach the plan', () => {
    const thresholds = [{ metric: 'latency.p95', atMost: 20 }];
    const result = parsePlan({ ...makeDraft(), thresholds }, makeTestbed());
    expect(result.ok && result.plan.thresholds).toEqual([{ metric: 'latency.p95', atMost: 20, of: 'value' }]);
  });

  it.each([
    [{ metric: 'latency.p50' }, 'thresholds[0].atMost'],
    [{ metric: 'latency.p50', atMost: 1, atLeast: 0 }, 'thresholds[0].atMost'],
    [{ metric: 'latency.p51', atMost: 1 }, 'thresholds[0].metric'],
    [{ metric: 'latency.p50', atMost: 0, of: 'baseline' }, 'thresholds[0].atMost'],
    [{ metric: 'latency.p50', atLeast: -5, of: 'baseline' }, 'thresholds[0].atLeast'],
    [{ metric: 'latency.p50', atMost: 1, where: { colour: ['red'] } }, 'thresholds[0].where.colour'],
    [{ metric: 'latency.p50', atMost: 'low' }, 'thresholds[0].atMost'],
  ])('name the field that is wrong: %j', (threshold, field) => {
    expect(issuesOf(threshold)).toEqual([field]);
  });
});
