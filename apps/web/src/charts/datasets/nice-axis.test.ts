import { describe, expect, it } from 'vitest';
import { fixedAxis, niceAxis, ratioTicks, tightAxis } from './nice-axis.ts';

describe('niceAxis', () => {
  it('holds its data between round numbers', () => {
    expect(niceAxis({ min: 0, max: 41.5 })).toEqual({
      min: 0,
      max: 50,
      step: 10,
      decimals: 0,
      ticks: [0, 10, 20, 30, 40, 50],
    });
  });

  it('gives fractions the decimals they need and no rounding dust', () => {
    const axis = niceAxis({ min: 0, max: 0.29, steps: 3 });
    expect(axis.ticks).toEqual([0, 0.1, 0.2, 0.3]);
    expect(axis.decimals).toBe(1);
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
  it('keeps the range and divides it evenly where it can', () => {
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
  it('picks factors that people say', () => {
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
