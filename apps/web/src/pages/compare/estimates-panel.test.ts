import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { parseCompareState } from './compare-state.ts';
import { makeComparisonViewModel } from './comparison-view-model.ts';
import { describeLeftOut, describeNothing } from './estimates-panel.tsx';

type Value = number | null | undefined;

/** Plain and one suite: values of each run, and the quality of its energy. */
function modelOf(runs: { values: [Value[], Value[]]; bases?: [string, string]; metric?: string }) {
  const parsed = parsePlan(makeDraft(), makeTestbed());
  if (!parsed.ok) throw new Error('the tour is a plan');
  const { metric = 'energy.total', bases = ['measured', 'measured'] } = runs;
  const comparison: Comparison = {
    experiments: [{ id: 1, name: 'Tour', status: 'done', finishedAt: 0 }],
    treatments: parsed.plan.treatments
      .filter(({ rowLabel }) => rowLabel === 'QoS 0')
      .slice(0, 2)
      .map((treatment, index) => ({
        id: `1~${treatment.key}`,
        experimentId: 1,
        treatment,
        runs: (runs.values[index] ?? []).map((value, block) => ({
          runId: index * 10 + block,
          block,
          flagged: false,
          metrics: value === undefined ? {} : { [metric]: value },
          bases: { energy: bases[index] ?? '' },
        })),
        latency: null,
        latencyWithFlagged: null,
      })),
    flaggedRuns: 0,
    failedRuns: 0,
  };
  const model = makeComparisonViewModel(comparison, { ...parseCompareState(''), metric });
  if (!model) throw new Error('there is a model');
  return model;
}

describe('invalid input has a specific message', () => {
  it('one run only', () => {
    const model = modelOf({ values: [[1], [2]] });
    expect(describeNothing(model)).toContain('treatment and its baseline need 3 valid runs each');
    expect(describeLeftOut({ ...model, kind: 'ratio' })).toBe(
      '1 left out: the treatment or its baseline has fewer than 3 valid runs.',
    );
  });

  it('zero variance: the interval is as wide as the resolution of the metric', () => {
    const model = modelOf({
      values: [
        [5, 5, 5],
        [7, 7, 7],
      ],
    });
    expect(describeLeftOut({ ...model, kind: 'ratio' })).toBe('');
    expect(model.contrasts[0]).toMatchObject({ outcome: 'resolved', runs: 3 });
    const { value = 0, lo = 0, hi = 0 } = model.contrasts[0] ?? {};
    expect([value, lo, hi].map((one) => Number((one ?? 0).toFixed(4)))).toEqual([1.4, 1.3986, 1.4014]);
  });

  it('NaN, null and missing values are not zeros', () => {
    const model = modelOf({
      values: [
        [1, Number.NaN, 3],
        [undefined, null, 4],
      ],
    });
    expect(model.usedRuns).toBe(3);
    expect(describeNothing(model)).toContain('3 valid runs');
  });

  it('mixed energy qualities', () => {
    const model = modelOf({
      values: [
        [1, 2, 3],
        [4, 5, 6],
      ],
      bases: ['measured', 'modelled'],
    });
    expect(describeNothing(model)).toContain('in different ways');
    expect(describeLeftOut({ ...model, kind: 'ratio' })).toMatch(/^1 not compared\. .*measured and modelled/);
    expect(model.contrasts[0]?.value).toBeNull();
  });

  it('contrasts on a different scale than the chart are named', () => {
    const model = modelOf({
      values: [
        [1, 2, 3],
        [2, 3, 4],
      ],
    });
    expect(describeLeftOut({ ...model, kind: 'ratio' })).toBe('');
    expect(describeLeftOut({ ...model, kind: 'difference' })).toBe(
      '1 given as a ratio, so only the table shows its figures.',
    );
  });

  it('no baseline', () => {
    expect(describeNothing({ contrasts: [], whyNothing: null })).toContain('No treatment here');
  });
});
