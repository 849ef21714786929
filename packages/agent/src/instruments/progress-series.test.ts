import { expect, test } from 'vitest';
import { ProgressSeries } from './role-instruments.ts';

const progress = { atMs: 1000, messagesPerSecond: 10, latencyMs: null, wireBytesPerSecond: 1500 };

test('has one value for each report, null if there was none', () => {
  const series = new ProgressSeries();
  series.add(progress);
  series.add({ ...progress, atMs: 2000, latencyMs: { p5: 1, p50: 2, p95: 3 } });
  expect(series.results().find(({ metric }) => metric === 'latency.p50')).toEqual({
    metric: 'latency.p50',
    unit: 'ms',
    timesMs: [1000, 2000],
    values: [null, 2],
  });
});

test('a publisher has no latency, so it has no latency series', () => {
  const series = new ProgressSeries();
  series.add(progress);
  expect(series.results().map(({ metric }) => metric)).toEqual(['messages.rate', 'wire.rate']);
});
