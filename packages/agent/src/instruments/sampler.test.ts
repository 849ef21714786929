import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeManualClock } from '../testing/manual-clock.ts';
import { type Collector, Sampler } from './sampler.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function makeCollector(
  name: string,
  read: (nowUs: number) => number | null,
): Collector & { closed: boolean } {
  return {
    name,
    closed: false,
    metrics: [{ metric: name, unit: '1' }],
    read: (nowUs) => [read(nowUs)],
    close() {
      this.closed = true;
    },
  };
}

test('reads on the grid through the start of the measure phase, whenever it was started', () => {
  const clock = makeManualClock();
  const collector = makeCollector('a', (nowUs) => nowUs);
  const sampler = new Sampler({
    clock,
    sampleHz: 10,
    collectors: [collector],
    startAtUs: 20_000,
    measureAtUs: 250_000,
  });
  sampler.start();
  sampler.start();
  clock.advanceMs(500);
  sampler.stop();
  clock.advanceMs(500);
  const [series] = sampler.results().series;
  expect(series?.timesMs).toEqual([-200, -100, 0, 100, 200]);
  expect(series?.values).toEqual([50_000, 150_000, 250_000, 350_000, 450_000]);
  expect(sampler.latest('a')).toBe(450_000);
  expect(collector.closed).toBe(true);
});

test('counts missed due times and continues with the grid', () => {
  const clock = makeManualClock();
  const sampler = new Sampler({
    clock,
    sampleHz: 10,
    collectors: [makeCollector('a', () => 1)],
    startAtUs: 0,
    measureAtUs: 0,
  });
  sampler.start();
  clock.advanceMs(150);
  clock.jumpMs(330);
  clock.advanceMs(200);
  sampler.stop();
  expect(sampler.results().series[0]?.timesMs).toEqual([100, 530, 600]);
  expect(sampler.missed).toBe(3);
});

test.each([
  { startAtUs: 0, measureAtUs: 0, times: [45, 100] },
  { startAtUs: 0, measureAtUs: 200_000, times: [-100, 0, 45, 100] },
])('takes a sample at the end of a load shorter than the sampling interval: $times', (at) => {
  const clock = makeManualClock();
  const sampler = new Sampler({ clock, sampleHz: 10, collectors: [makeCollector('a', () => 1)], ...at });
  sampler.start();
  clock.advanceMs(at.measureAtUs / 1_000 + 45);
  sampler.sampleShortLoad();
  sampler.sampleShortLoad();
  clock.advanceMs(75);
  sampler.sampleShortLoad();
  sampler.stop();
  expect(sampler.results().series[0]?.timesMs).toEqual(at.times);
  expect(sampler.missed).toBe(0);
});

test('takes no sample too soon after the reading before it, in which no clock tick may have been counted', () => {
  const clock = makeManualClock();
  const options = { clock, sampleHz: 10, collectors: [makeCollector('a', () => 1)] };
  const sampler = new Sampler({ ...options, startAtUs: 0, measureAtUs: 0 });
  sampler.start();
  clock.advanceMs(19);
  sampler.sampleShortLoad();
  expect(sampler.results().series[0]?.timesMs).toEqual([]);
  clock.advanceMs(1);
  sampler.sampleShortLoad();
  sampler.stop();
  expect(sampler.results().series[0]?.timesMs).toEqual([20]);
});

test('takes no sample of a load that has not begun', () => {
  const clock = makeManualClock();
  const options = { clock, sampleHz: 10, collectors: [makeCollector('a', () => 1)] };
  const sampler = new Sampler({ ...options, startAtUs: 20_000, measureAtUs: 50_000 });
  sampler.start();
  sampler.sampleShortLoad();
  clock.advanceMs(30);
  sampler.sampleShortLoad();
  sampler.stop();
  expect(sampler.results().series[0]?.timesMs).toEqual([]);
});

test('a failing collector is omitted with its reason; the others continue', () => {
  const clock = makeManualClock();
  let calls = 0;
  const failing = makeCollector('broken', () => {
    calls += 1;
    if (calls > 2) throw new Error('No such process');
    return 7;
  });
  const sampler = new Sampler({
    clock,
    sampleHz: 1,
    collectors: [failing, makeCollector('fine', () => 1)],
    startAtUs: 0,
    measureAtUs: 0,
  });
  sampler.start();
  clock.advanceMs(3_500);
  sampler.stop();
  const { series, degraded } = sampler.results();
  expect(series.map(({ values }) => values)).toEqual([
    [7, null, null],
    [1, 1, 1],
  ]);
  expect(degraded).toEqual([{ collector: 'broken', reason: 'No such process' }]);
  expect(calls).toBe(3);
});
