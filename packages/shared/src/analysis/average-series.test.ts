import { describe, expect, it } from 'vitest';
import { averageOnGrid, usualStepMs } from './average-series.ts';
import { usualLevel } from './estimate.ts';

function makeSeries(firstMs: number, value: number, stepMs = 1000) {
  const timesMs = Array.from({ length: 6 }, (_, i) => firstMs + i * stepMs);
  return { metric: 'latency.p50', unit: 'ms', timesMs, values: timesMs.map(() => value) };
}

describe('averaging runs with one sample per second at different times', () => {
  const runs = [[makeSeries(444, 2)], [makeSeries(439, 2)], [makeSeries(453, 5)]];

  it('takes all of them at every instant', () => {
    const { timesMs, mean } = averageOnGrid(runs, usualStepMs(runs, 100), usualLevel);
    expect(timesMs).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
    expect(mean).toEqual(Array(6).fill(3));
  });

  it('says nothing at an instant that most of them have no sample of', () => {
    const longer = { ...makeSeries(440, 9), timesMs: [440, 1440, 2440, 3440, 4440, 6440] };
    expect(averageOnGrid([...runs, [longer]], 1000, usualLevel).mean.at(-1)).toBeNull();
  });

  it('keeps the sampling grid where samples are as close as that', () => {
    expect(usualStepMs([[makeSeries(3, 1, 49)]], 50)).toBe(50);
    expect(usualStepMs([[makeSeries(3, 1, 20)]], 50)).toBe(50);
    expect(usualStepMs([], 250)).toBe(1000);
  });
});
