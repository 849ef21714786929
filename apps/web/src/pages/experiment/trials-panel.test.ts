import { describe, expect, it } from 'vitest';
import { makeRunSummary } from '../../live/testing/live-factories.ts';
import { settledBlocks } from './trials-panel.tsx';

const trials = [1, 2, 3, 4].map((number) => ({
  number,
  block: Math.ceil(number / 2),
  treatmentKey: String(number % 2),
}));
const plan = { trials, repetitions: 2 };
const runOf = (trialNumber: number, part: Parameters<typeof makeRunSummary>[0] = {}) =>
  makeRunSummary({
    id: trialNumber,
    trialNumber,
    block: Math.ceil(trialNumber / 2),
    status: 'done',
    ...part,
  });

describe('settledBlocks', () => {
  it('counts repetitions whose trials have all ended, retries included', () => {
    expect(settledBlocks(plan, [])).toBe(0);
    expect(settledBlocks(plan, [runOf(1)])).toBe(0);
    expect(settledBlocks(plan, [runOf(1), runOf(2), runOf(3)])).toBe(1);
    const again = runOf(2, { id: 9, attempt: 2, status: 'running' });
    expect(settledBlocks(plan, [again, runOf(1), runOf(2, { status: 'failed' })])).toBe(0);
    expect(
      settledBlocks(
        plan,
        [1, 2, 3, 4].map((number) => runOf(number)),
      ),
    ).toBe(2);
  });
});
