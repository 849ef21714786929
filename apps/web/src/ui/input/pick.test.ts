import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { describe, expect, it } from 'vitest';
import { findOptions, groupMetrics } from './pick.tsx';

const groups = [
  {
    label: 'Latency',
    options: [
      { value: 'latency.p50', label: 'Median', note: 'ms' },
      { value: 'latency.p99', label: 'P99', note: 'ms', words: 'tail' },
    ],
  },
  { label: 'Energy', options: [{ value: 'energy.publisher', label: 'Energy, publisher', note: 'J' }] },
];
const found = (search: string) =>
  findOptions(groups, search).flatMap((group) => group.options.map((option) => option.value));

describe('findOptions', () => {
  it('finds all without a search', () => expect(found(' ')).toHaveLength(3));
  it('finds by label, note, group and search words, in any order', () => {
    expect(found('LATENCY')).toEqual(['latency.p50', 'latency.p99']);
    expect(found('ms median')).toEqual(['latency.p50']);
    expect(found('tail')).toEqual(['latency.p99']);
    expect(found('publisher energy')).toEqual(['energy.publisher']);
  });
  it('omits groups without matches', () => {
    expect(findOptions(groups, 'p99').map((group) => group.label)).toEqual(['Latency']);
    expect(findOptions(groups, 'nothing like it')).toEqual([]);
  });
});

describe('groupMetrics', () => {
  it('offers every metric of the catalogue exactly once', () => {
    const offered = groupMetrics(metrics).flatMap(({ options }) => options.map(({ value }) => value));
    expect(offered.sort()).toEqual(metrics.map(({ id }) => id).sort());
  });

  it('omits groups without a measured metric', () => {
    const some = metrics.filter(({ id }) => id === 'latency.p50');
    expect(groupMetrics(some)).toHaveLength(1);
  });

  it('finds a metric by its id as well', () => {
    const found = findOptions(groupMetrics(metrics), 'latency.p99');
    expect(found.flatMap(({ options }) => options.map(({ value }) => value))).toContain('latency.p99');
  });
});
