import { formatInterval, type IntervalFormat, type IntervalValue } from '@mqttlab/shared/format/interval';
import type { ReactElement } from 'react';
import styles from './number-with-interval.module.css';

export type NumberWithIntervalProps = IntervalValue & IntervalFormat;

/** "18.4 ms [17.9, 18.8]" on one line: the figure strong, the interval dimmed. */
export function NumberWithInterval(props: NumberWithIntervalProps): ReactElement {
  const { value, interval } = formatInterval(props, props);
  return (
    <span className={styles.figure}>
      <b>{value}</b>
      {interval && <span> {interval}</span>}
    </span>
  );
}
