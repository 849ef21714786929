import { describe, expect, it } from 'vitest';
import { smallestDetectableDifference, tTestPower } from './power.ts';

// Reference: scipy 1.17 `nct.sf(tCrit, df, noncentrality)` and its root.
const POWER = [
  [0, 2.776, 4, 0.02501138915998821],
  [3, 2.776, 4, 0.6193777298921483],
  [2, 4.3, 2, 0.21822087889519723],
  [10, 12, 2, 0.49934005853788316],
  [5, 2.1, 18, 0.9971096047141318],
  [3, 1.97, 2000, 0.8484355764308631],
  [-1, 2, 8, 0.0039003545315849097],
  // By quadrature of the mean over the normal deviate.
  [300, 320, 8, 0.46673492392708626],
  [2000, 2500, 8, 0.25532348924668324],
  [4677, 4677, 8, 0.5665298439080015],
  [1000, 500, 4, 0.9969805572361883],
  [100, 120, 2, 0.5006347299184609],
];
// The same root with df = repetitions - 1.
const DIFFERENCE = [
  [2, 1, 11.549888435882371],
  [3, 1, 3.264043549819916],
  [3, 3, 5.667476062885722],
  [3, 10, 10.355180625585948],
  [5, 1, 1.681997282215744],
  [5, 10, 3.155348630986163],
  [10, 1, 0.9960022543069523],
  [10, 10, 1.4840725723753803],
  [5, 21, 3.8236002821088224],
];

describe('power of the t test', () => {
  it.each(POWER)('noncentrality %d, tCrit %d, df %d', (...[noncentrality, tCrit, df, expected]) => {
    expect(Math.abs(tTestPower(noncentrality!, tCrit!, df!) - expected!)).toBeLessThan(1e-8);
  });
  it.each(DIFFERENCE)('R=%d, %d contrasts', (repetitions, contrasts, expected) => {
    const got = smallestDetectableDifference({
      repetitions: repetitions!,
      sdOfDifferences: 1,
      contrasts: contrasts!,
    });
    expect(Math.abs(got! / expected! - 1)).toBeLessThan(1e-8);
  });

  it('scales with the sd, shrinks with repetitions, grows with contrasts', () => {
    const base = smallestDetectableDifference({ repetitions: 5, sdOfDifferences: 2 })!;
    expect(smallestDetectableDifference({ repetitions: 5, sdOfDifferences: 20 })).toBeCloseTo(10 * base, 9);
    expect(smallestDetectableDifference({ repetitions: 6, sdOfDifferences: 2 })).toBeLessThan(base);
    expect(
      smallestDetectableDifference({ repetitions: 5, sdOfDifferences: 2, contrasts: 3 }),
    ).toBeGreaterThan(base);
    expect(smallestDetectableDifference({ repetitions: 5, sdOfDifferences: 2, power: 0.9 })).toBeGreaterThan(
      base,
    );
    expect(smallestDetectableDifference({ repetitions: 5, sdOfDifferences: 0 })).toBe(0);
  });

  it('says nothing where nothing can be said', () => {
    expect(smallestDetectableDifference({ repetitions: 1, sdOfDifferences: 1 })).toBeNull();
    expect(smallestDetectableDifference({ repetitions: 5, sdOfDifferences: Number.NaN })).toBeNull();
    expect(smallestDetectableDifference({ repetitions: 2.5, sdOfDifferences: 1 })).toBeNull();
    expect(tTestPower(1, 2, 0)).toBeNaN();
    for (const bad of [{ alpha: 0 }, { power: 1 }, { power: 0.2 }, { contrasts: 0 }]) {
      expect(() => smallestDetectableDifference({ repetitions: 5, sdOfDifferences: 1, ...bad })).toThrow(
        RangeError,
      );
    }
  });
});

it('is 0 or 1 far on the other side', () => {
  expect([tTestPower(-1e9, 5, 4), tTestPower(1e9, -5, 4)]).toEqual([0, 1]);
});

it('power is a probability, however certain', () => {
  const powers = [1, 2, 5, 20, 100, 1000].flatMap((df) =>
    [-30, -3, 0, 3, 30].flatMap((tCrit) =>
      [0, 2, 8, 40].map((shift) => tTestPower(shift + tCrit, tCrit, df)),
    ),
  );
  expect(Math.min(...powers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...powers)).toBeLessThanOrEqual(1);
});
