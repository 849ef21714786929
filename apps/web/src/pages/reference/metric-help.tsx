import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { aboutMetric } from '../../ui/input/metric-groups.ts';
import { metricAddress } from './metric-address.ts';

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
