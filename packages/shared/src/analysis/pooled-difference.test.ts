import { describe, expect, it } from 'vitest';
import { pairedRatio } from '../statistics/comparisons/ratio.ts';
import { welchTest } from '../statistics/comparisons/t-test.ts';
import { type BlockValue, poolDifference } from './pooled-difference.ts';

const runs = (values: readonly number[], step = 0): BlockValue[] =>
  values.map((value, index) => ({ block: index + 1, value, step }));
const paired = { isPositive: true, isPaired: true };

function found(result: ReturnType<typeof poolDifference>) {
  if (!('value' in result)) throw new Error(`only ${result.runs} runs`);
  return result;
}

describe('poolDifference', () => {
  it('is the paired ratio of one pair', () => {
    const [a, b] = [
      [11, 12, 14],
      [10, 10, 11],
    ];
    const result = found(poolDifference([{ treatment: [runs(a)], baseline: [runs(b)] }], paired));
    const wanted = pairedRatio(a, b);
    expect(result.value).toBeCloseTo(wanted?.ratio ?? 0, 12);
    expect(result.intervalAt(0.95).lo).toBeCloseTo(wanted?.lo ?? 0, 12);
    expect(result).toMatchObject({ runs: 3, pairs: 1, allPairs: 1, isExact: false, scale: 'ratio' });
  });

  it('averages pairs inside each repetition, so that the number of pairs does not narrow the interval', () => {
    const pair = { treatment: [runs([11, 12, 14])], baseline: [runs([10, 10, 11])] };
    const [one, three] = [[pair], [pair, pair, pair]].map((pairs) => found(poolDifference(pairs, paired)));
    expect(three?.intervalAt(0.95)).toEqual(one?.intervalAt(0.95));
  });

  it('takes the mean of several treatments on a side', () => {
    const result = found(
      poolDifference(
        [{ treatment: [runs([2, 2, 2.1]), runs([8, 8, 8])], baseline: [runs([1, 1, 1])] }],
        paired,
      ),
    );
    expect(result.value).toBeCloseTo(Math.exp((2 * Math.log(4) + Math.log(Math.sqrt(2.1 * 8))) / 3), 12);
  });

  it('leaves out pairs with fewer than three repetitions, and says how many there are', () => {
    const good = { treatment: [runs([2, 3, 4])], baseline: [runs([1, 1, 1])] };
    const bad = { treatment: [runs([2, 3])], baseline: [runs([1, 1, 1])] };
    expect(found(poolDifference([good, bad], paired))).toMatchObject({ pairs: 1, allPairs: 2 });
    expect(poolDifference([bad], paired)).toEqual({ runs: 2 });
    expect(poolDifference([], paired)).toEqual({ runs: 0 });
  });

  it('compares sides of two experiments by Welch, and numbers that may be negative by their difference', () => {
    const [a, b] = [
      [1, -2, 3, 2],
      [5, 6, 8],
    ];
    const pairs = [{ treatment: [runs(a)], baseline: [runs(b)] }];
    const result = found(poolDifference(pairs, { isPositive: false, isPaired: false }));
    expect(result.intervalAt(0.9).hi).toBeCloseTo(welchTest(a, b, 0.9)?.hi ?? 0, 12);
    expect(result).toMatchObject({ scale: 'difference', runs: 3 });
  });

  it('is exact if nothing varies, and never narrower than a step of the instrument', () => {
    const exact = [{ treatment: [runs([4, 4, 4])], baseline: [runs([2, 2, 2])] }];
    expect(found(poolDifference(exact, paired))).toMatchObject({ value: 2, isExact: true });
    const coarse = [{ treatment: [runs([4, 4, 4], 0.4)], baseline: [runs([2, 2, 2], 0.2)] }];
    const result = found(poolDifference(coarse, paired));
    expect(result.isExact).toBe(false);
    expect(result.intervalAt(0.95).lo).toBeLessThan(1.9);
  });
});
