import { Select } from '@mantine/core';
import { findMetric, metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { Field, type FieldProps } from '../../ui/input/field.tsx';
import { aboutMetric, groupMetrics } from '../../ui/input/pick.tsx';

/** Returns the address of a metric on the metrics page. */
export function metricAddress(id: string): string {
  return `/reference/metrics#${id}`;
}

/** Describes a metric, with a link to its source and known bias. Empty for an unknown id. */
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
  /** Shows the description of the metric under the label. */
  hasHelp?: boolean;
  onChange: (metric: string) => void;
};

/** Selects a metric from the catalogue by group or search. */
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
