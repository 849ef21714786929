import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canBeLog, logAxis } from './log-axis.ts';

describe('logAxis', () => {
  it('ends at 1, 2 or 5 times a power of ten around its values', () => {
    expect(logAxis([0.3, 4])).toMatchObject({ min: 0.2, max: 5, ticks: [0.2, 0.5, 1, 2, 5], isLog: true });
  });

  it('keeps to powers of ten over many decades', () => {
    expect(logAxis([0.003, 900]).ticks).toEqual([0.01, 0.1, 1, 10, 100, 1000]);
  });

  it('holds any values above zero, with at least two ticks and never too many', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), { minLength: 1 }), (values) => {
        const axis = logAxis(values);
        expect(axis.min).toBeLessThan(Math.min(...values));
        expect(axis.max).toBeGreaterThan(Math.max(...values));
        expect(axis.ticks.length).toBeGreaterThanOrEqual(2);
        expect(axis.ticks.length).toBeLessThanOrEqual(17);
      }),
    );
  });

  it('is refused where there is zero, a negative value or nothing', () => {
    expect([canBeLog([1, 2]), canBeLog([0, 1]), canBeLog([-1]), canBeLog([])]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
