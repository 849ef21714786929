import { describe, expect, it } from 'vitest';
import { smallestResolvableDifference, tTestPower } from './power.ts';

// Reference: scipy 1.17 `nct.sf(tCrit, df, noncentrality)` and its root.
const POWER = [
  [0, 2.776, 4, 0.02501138915998821],
  [3, 2.776, 4, 0.6193777298921483],
  [2, 4.3, 2, 0.21822087889519723],
  [10, 12, 2, 0.49934005853788316],
  [5, 2.1, 18, 0.9971096047141318],
  [3, 1.97, 2000, 0.8484355764308631],
  [-1, 2, 8, 0.0039003545315849097],
];
const DIFFERENCE = [
  [2, 1, 5.653489266405522],
  [3, 1, 3.0708928437731546],
  [5, 1, 2.024440977358822],
  [10, 1, 1.3249488954669852],
  [5, 21, 3.4560227191650585],
  [2, 21, 25.995522992115642],
];

describe('power of the two-sample t test', () => {
  it.each(POWER)('noncentrality %d, tCrit %d, df %d', (...[noncentrality, tCrit, df, expected]) => {
    expect(Math.abs(tTestPower(noncentrality!, tCrit!, df!) - expected!)).toBeLessThan(1e-8);
  });
  it.each(DIFFERENCE)('R=%d, %d contrasts', (repetitions, contrasts, expected) => {
    const got = smallestResolvableDifference({ repetitions: repetitions!, sd: 1, contrasts: contrasts! });
    expect(Math.abs(got! / expected! - 1)).toBeLessThan(1e-8);
  });

  it('scales with the sd, shrinks with repetitions, grows with contrasts', () => {
    const base = smallestResolvableDifference({ repetitions: 5, sd: 2 })!;
    expect(smallestResolvableDifference({ repetitions: 5, sd: 20 })).toBeCloseTo(10 * base, 9);
    expect(smallestResolvableDifference({ repetitions: 6, sd: 2 })).toBeLessThan(base);
    expect(smallestResolvableDifference({ repetitions: 5, sd: 2, contrasts: 3 })).toBeGreaterThan(base);
    expect(smallestResolvableDifference({ repetitions: 5, sd: 2, power: 0.9 })).toBeGreaterThan(base);
    expect(smallestResolvableDifference({ repetitions: 5, sd: 0 })).toBe(0);
  });

  it('says nothing where nothing can be said', () => {
    expect(smallestResolvableDifference({ repetitions: 1, sd: 1 })).toBeNull();
    expect(smallestResolvableDifference({ repetitions: 5, sd: Number.NaN })).toBeNull();
    expect(smallestResolvableDifference({ repetitions: 2.5, sd: 1 })).toBeNull();
    expect(tTestPower(1, 2, 0)).toBeNaN();
    for (const bad of [{ alpha: 0 }, { power: 1 }, { power: 0.2 }, { contrasts: 0 }]) {
      expect(() => smallestResolvableDifference({ repetitions: 5, sd: 1, ...bad })).toThrow(RangeError);
    }
  });
});
