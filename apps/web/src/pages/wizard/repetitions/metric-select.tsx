import { Select } from '@mantine/core';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { metricGroupLabels } from '@mqttlab/shared/catalogue/metrics-reference';
import { metricGroups } from '@mqttlab/shared/domain/runs/verdict';
import type { ReactElement } from 'react';
import type { FieldControl } from '../../../ui/input/field.tsx';

const groups = metricGroups.map((group) => ({
  group: metricGroupLabels[group],
  items: metrics
    .filter((metric) => metric.group === group)
    .map((metric) => ({ value: metric.id, label: `${metric.label}, ${metric.unit}` })),
}));

type MetricSelectProps = { control: FieldControl; value: string; onChange: (metric: string) => void };

/** Every metric of the catalogue, by group. */
export function MetricSelect({ control, value, onChange }: MetricSelectProps): ReactElement {
  return (
    <Select
      {...control}
      searchable
      data={groups}
      value={value}
      maxDropdownHeight={320}
      withScrollArea={false}
      styles={{ dropdown: { maxHeight: 320, overflowY: 'auto' } }}
      onChange={(metric) => metric && onChange(metric)}
    />
  );
}
