import { describe, expect, it } from 'vitest';
import { fc } from '../../testing/properties.ts';
import { aggregateSamples } from '../descriptive/summary.ts';
import { accumulateCharge, energySensitivity, estimateBatteryLife } from './battery.ts';

const current = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 60 });

describe('accumulateCharge', () => {
  it('is additive over parts and proportional to time', () => {
    fc.assert(
      fc.property(current, current, (a, b) => {
        const whole = accumulateCharge([...a, ...b], 1)!.totalMAh;
        expect(whole).toBeCloseTo(accumulateCharge(a, 1)!.totalMAh + accumulateCharge(b, 1)!.totalMAh, 12);
        expect(accumulateCharge(a, 10)!.totalMAh).toBeCloseTo(10 * accumulateCharge(a, 1)!.totalMAh, 12);
      }),
    );
    expect(accumulateCharge(new Array<number>(3600).fill(40), 1)!.totalMAh).toBeCloseTo(40, 12);
  });
  it('refuses what it cannot integrate', () => {
    for (const bad of [[], [1, Number.NaN]]) expect(accumulateCharge(bad, 1)).toBeNull();
    for (const bad of [0, -1, Number.NaN, Infinity])
      expect(() => accumulateCharge([1], bad)).toThrow(RangeError);
  });
});

describe('aggregateSamples', () => {
  it('keeps the sum of what it bins', () => {
    fc.assert(
      fc.property(current, fc.integer({ min: 1, max: 12 }), (values, factor) => {
        const { bins, droppedTail, tailMean } = aggregateSamples(values, factor)!;
        const total = bins.reduce((a, b) => a + b * factor, 0) + (tailMean ?? 0) * droppedTail;
        expect(total).toBeCloseTo(
          values.reduce((a, b) => a + b, 0),
          8,
        );
        expect(bins.length * factor + droppedTail).toBe(values.length);
      }),
    );
  });
  it('refuses broken input', () => {
    expect([aggregateSamples([], 2), aggregateSamples([Number.NaN], 1)]).toEqual([null, null]);
    for (const bad of [0, 1.5, Number.NaN]) expect(() => aggregateSamples([1], bad)).toThrow(RangeError);
  });
});

describe('estimateBatteryLife', () => {
  const question = { capacityMAh: 2000, usableFraction: 0.85, activeMA: 80, sleepMA: 0.01, duty: 0.02 };
  it('grows with the capacity and shrinks with the duty cycle', () => {
    const { hours } = estimateBatteryLife(question);
    expect(estimateBatteryLife({ ...question, capacityMAh: 4000 }).hours).toBeCloseTo(2 * hours!, 9);
    expect(estimateBatteryLife({ ...question, duty: 0.03 }).hours).toBeLessThan(hours!);
  });
  it('lasts forever when nothing is drawn, and refuses nonsense', () => {
    expect(estimateBatteryLife({ ...question, activeMA: 0, sleepMA: 0 })).toEqual({
      avgMA: 0,
      hours: null,
      days: null,
    });
    for (const bad of [{ duty: 1.1 }, { usableFraction: 2 }, { activeMA: -1 }, { capacityMAh: Number.NaN }]) {
      expect(() => estimateBatteryLife({ ...question, ...bad })).toThrow(RangeError);
    }
  });
});

describe('energySensitivity', () => {
  const question = {
    currentMA: [100, 100, 40, 40, 40],
    handshakeS: 2,
    handshakeFactors: [1, 1.5],
    loadFactors: [1, 2],
  };
  it('is nothing at factors 1 and moves charge between the phases of a fixed time', () => {
    const { grid, baseMAh } = energySensitivity(question)!;
    expect(baseMAh).toBeCloseTo(320 / 3600, 12);
    expect(grid.map((cell) => cell.mAh * 3600)).toEqual(
      [320, 440, 380, 460].map((v) => expect.closeTo(v, 9)),
    );
    expect(grid[0]!.relChange).toBeCloseTo(0, 12);
  });
  it('refuses a series without a steady part', () => {
    expect(energySensitivity({ ...question, handshakeS: 5 })).toBeNull();
    expect(energySensitivity({ ...question, currentMA: [1, Number.NaN, 2] })).toBeNull();
    expect(() => energySensitivity({ ...question, handshakeS: 0.5 })).toThrow(RangeError);
    expect(energySensitivity({ ...question, currentMA: [0, 0, 0] })!.grid[0]!.relChange).toBeNull();
  });
});
