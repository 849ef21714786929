import { makeComparison } from '@mqttlab/shared/testing/make-comparison';
import { expect, it } from 'vitest';
import { parseCompareState } from './compare-state.ts';
import { makeComparisonViewModel } from './comparison-view-model.ts';
import { tradeOff } from './trade-off.ts';

it('gives a reason for each treatment that has no point', () => {
  const state = parseCompareState('metric=latency.p50');
  const comparison = makeComparison((index, block) => ({
    flagged: index === 0,
    metrics: { 'latency.p50': index + block, ...(index === 1 ? {} : { 'cpu.publisher': block }) },
  }));
  const model = makeComparisonViewModel(comparison, state);
  const found = model && tradeOff(model, state);
  const [first, second, ...others] = found?.reasons ?? [];
  expect([first, second]).toEqual(['flagged', 'not measured']);
  expect(others.every((reason) => reason === null)).toBe(true);
  expect(found?.points).toHaveLength(others.length);
});
