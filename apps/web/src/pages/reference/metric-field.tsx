import { Select } from '@mantine/core';
import { findMetric, metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { Field, type FieldProps } from '../../ui/input/field.tsx';
import { aboutMetric, groupMetrics } from '../../ui/input/pick.tsx';

/** Of one metric on the page of all metrics. */
export function metricAddress(id: string): string {
  return `/reference/metrics#${id}`;
}

/** What a metric is, with the way to its source and known bias; nothing for an id that is none. */
export function MetricHelp({ id }: { id: string }): ReactElement | null {
  const metric = findMetric(id);
  if (!metric) return null;
  return (
    <>
      {metric.help}{' '}
      <Link to={metricAddress(id)} title={aboutMetric(metric)}>
        Source and bias
      </Link>
    </>
  );
}

const groups = groupMetrics(metrics).map(({ label, options }) => ({
  group: label,
  items: options.map((metric) => ({ value: metric.value, label: `${metric.label}, ${metric.note}` })),
}));

type MetricFieldProps = Pick<FieldProps, 'label' | 'problem'> & {
  value: string;
  /** With what the metric is, under the label. */
  hasHelp?: boolean;
  onChange: (metric: string) => void;
};

/** One metric of the catalogue, found by group or by typing. */
export function MetricField({ label, problem, value, hasHelp, onChange }: MetricFieldProps): ReactElement {
  return (
    <Field label={label} hint={hasHelp && <MetricHelp id={value} />} problem={problem}>
      {(control) => (
        <Select
          {...control}
          searchable
          selectFirstOptionOnChange
          data={groups}
          value={value}
          maxDropdownHeight={320}
          withScrollArea={false}
          styles={{ dropdown: { maxHeight: 320, overflowY: 'auto' } }}
          onChange={(metric) => metric && onChange(metric)}
        />
      )}
    </Field>
  );
}
