import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import { canBeLog, fixedAxis, logAxis, niceAxis, ratioTicks, tightAxis } from './axis.ts';
import { thinTicks } from './panel.ts';

describe('niceAxis', () => {
  it('holds its data between round numbers', () => {
    expect(niceAxis({ min: 0, max: 41.5 })).toMatchObject({
      min: 0,
      max: 50,
      isLog: false,
      ticks: [0, 10, 20, 30, 40, 50],
    });
  });

  it('gives fractions the decimals they need and no rounding dust', () => {
    const axis = niceAxis({ min: 0, max: 0.29, steps: 3 });
    expect(axis.ticks).toEqual([0, 0.1, 0.2, 0.3]);
    expect(axis.ticks.map(axis.format)).toEqual(['0.0', '0.1', '0.2', '0.3']);
  });

  it('reaches below zero', () => {
    expect(niceAxis({ min: -3.4, max: 1 }).min).toBe(-4);
  });

  it('survives an empty range', () => {
    expect(niceAxis({ min: 0, max: 0 }).max).toBeGreaterThan(0);
    expect(niceAxis({ min: Number.NaN, max: Number.NaN }).ticks.length).toBeGreaterThan(1);
  });
});

describe('tightAxis', () => {
  it('ends at a tick or half-way to the next', () => {
    expect(tightAxis({ min: 0, max: 42.3, steps: 5 })).toMatchObject({
      min: 0,
      max: 45,
      ticks: [0, 10, 20, 30, 40],
    });
    expect(tightAxis({ min: 0, max: 8.2, steps: 5 })).toMatchObject({ max: 9, ticks: [0, 2, 4, 6, 8] });
  });

  it('survives an empty range', () => {
    expect(tightAxis({ min: 0, max: 0 }).max).toBeGreaterThan(0);
  });
});

describe('fixedAxis', () => {
  it('keeps the range and divides it evenly if possible', () => {
    expect(fixedAxis({ min: 0, max: 12, steps: 2 })).toMatchObject({ min: 0, max: 12, ticks: [0, 6, 12] });
    expect(fixedAxis({ min: 2.6, max: 3.4, steps: 2 })).toMatchObject({
      min: 2.6,
      max: 3.4,
      ticks: [2.6, 3, 3.4],
    });
  });

  it('falls back to round ticks inside it', () => {
    const axis = fixedAxis({ min: 0, max: 17, steps: 4 });
    expect(axis).toMatchObject({ min: 0, max: 17 });
    expect(axis.ticks).toEqual([0, 5, 10, 15]);
  });
});

describe('ratioTicks', () => {
  it('picks common factors', () => {
    expect(ratioTicks(1, 2.5)).toEqual([1, 1.5, 2]);
    expect(ratioTicks(1, 1.26)).toEqual([1, 1.1, 1.2]);
  });

  it('always offers something inside the range', () => {
    for (const [lo, hi] of [
      [0.999, 1.001],
      [0.02, 40],
      [3.31, 3.34],
    ] as const) {
      const ticks = ratioTicks(lo, hi);
      expect(ticks.length, `${lo} to ${hi}`).toBeGreaterThan(0);
      expect(ticks.every((tick) => tick >= lo * 0.999 && tick <= hi * 1.001)).toBe(true);
    }
  });
});

describe('logAxis', () => {
  it('ends at 1, 2 or 5 times a power of ten around its values', () => {
    expect(logAxis([0.3, 4])).toMatchObject({ min: 0.2, max: 5, ticks: [0.2, 0.5, 1, 2, 5], isLog: true });
  });

  it('has close ticks if its values are close', () => {
    const axis = logAxis([0.29, 0.85]);
    expect(axis).toMatchObject({ min: 0.2, max: 1, ticks: [0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1], isLog: true });
    expect(logAxis([13, 40]).ticks.map(logAxis([13, 40]).format)).toEqual([
      '10',
      '15',
      '20',
      '30',
      '40',
      '50',
    ]);
  });

  it('is as narrow as values that differ by a few percent', () => {
    const axis = logAxis([300, 328]);
    expect(axis.isLog).toBe(true);
    expect(axis.max / axis.min).toBeLessThan(1.2);
    expect(axis.ticks.length).toBeGreaterThanOrEqual(2);
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

  it('has round ticks if close ticks are too many', () => {
    expect(logAxis([2.9, 17]).ticks).toEqual([2, 5, 10, 20]);
  });

  it('is rejected for zero, negative values or no values', () => {
    expect([canBeLog([1, 2]), canBeLog([0, 1]), canBeLog([-1]), canBeLog([])]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('thinTicks', () => {
  it('keeps all ticks that fit', () => {
    expect(thinTicks([0, 10, 20, 30], 8)).toEqual([0, 10, 20, 30]);
  });

  it('drops every other one, never the last, which carries the unit', () => {
    expect(thinTicks([0, 10, 20, 30], 2)).toEqual([10, 30]);
    expect(thinTicks([0, 5, 10, 15, 20], 3)).toEqual([0, 10, 20]);
  });

  it('keeps at least two ticks', () => {
    expect(thinTicks([0, 10, 20, 30], 0)).toEqual([10, 30]);
  });
});
