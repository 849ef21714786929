import { type MetricDefinition, metricGroups } from '@mqttlab/shared/domain/metric';
import type { SearchGroup } from './search-options.ts';

export const metricGroupLabels: Readonly<Record<MetricDefinition['group'], string>> = {
  latency: 'Latency',
  'set-up': 'Connection set-up',
  traffic: 'Traffic',
  delivery: 'Delivery',
  payload: 'Payload',
  cpu: 'CPU',
  memory: 'Memory',
  energy: 'Energy',
  device: 'Device',
  generator: 'Load generator',
};

/** Metrics for a searchable menu, by group, in the order of the catalogue. */
export function groupMetrics(metrics: readonly MetricDefinition[]): SearchGroup[] {
  return metricGroups.flatMap((group) => {
    const options = metrics
      .filter((metric) => metric.group === group)
      .map(({ id, label, unit, help }) => ({ value: id, label, note: unit, words: `${id} ${help}` }));
    return options.length === 0 ? [] : [{ label: metricGroupLabels[group], options }];
  });
}
