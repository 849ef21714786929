import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { expect, it } from 'vitest';
import { parseCompareState } from './compare-state.ts';
import { makeComparisonViewModel } from './comparison-view-model.ts';
import { tradeOff } from './trade-off.ts';

it('gives a reason for each treatment that has no point', () => {
  const parsed = parsePlan(makeDraft(), makeTestbed());
  if (!parsed.ok) throw new Error('the tour is a plan');
  const state = parseCompareState('metric=latency.p50');
  const model = makeComparisonViewModel(
    {
      experiments: [{ id: 1, name: 'Tour', status: 'done', finishedAt: 0 }],
      treatments: parsed.plan.treatments.map((treatment, index) => ({
        id: `1~${treatment.key}`,
        experimentId: 1,
        treatment,
        runs: [1, 2, 3].map((block) => ({
          runId: index * 3 + block,
          block,
          flagged: index === 0,
          metrics: { 'latency.p50': index + block, ...(index === 1 ? {} : { 'cpu.publisher': block }) },
        })),
        latency: null,
        latencyWithFlagged: null,
      })),
      flaggedRuns: 3,
      failedRuns: 0,
    },
    state,
  );
  const found = model && tradeOff(model, state);
  const [first, second, ...others] = found?.reasons ?? [];
  expect([first, second]).toEqual(['flagged', 'not measured']);
  expect(others.every((reason) => reason === null)).toBe(true);
  expect(found?.points).toHaveLength(others.length);
});
