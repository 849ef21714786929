import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { describe, expect, it } from 'vitest';
import { groupMetrics } from './metric-groups.ts';
import { findOptions } from './search-options.ts';

describe('groupMetrics', () => {
  it('offers every metric of the catalogue exactly once', () => {
    const offered = groupMetrics(metrics).flatMap(({ options }) => options.map(({ value }) => value));
    expect(offered.sort()).toEqual(metrics.map(({ id }) => id).sort());
  });

  it('leaves out groups without a measured metric', () => {
    const some = metrics.filter(({ id }) => id === 'latency.p50');
    expect(groupMetrics(some)).toHaveLength(1);
  });

  it('finds a metric by its id as well', () => {
    const found = findOptions(groupMetrics(metrics), 'latency.p99');
    expect(found.flatMap(({ options }) => options.map(({ value }) => value))).toContain('latency.p99');
  });
});
