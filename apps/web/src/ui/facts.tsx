import type { ReactElement, ReactNode } from 'react';
import styles from './facts.module.css';

export type Fact = { label: string; value: ReactNode; strong?: boolean };

/** Label at the left, figure at the right: the plan's duration, a device's temperature. */
export function Facts({ facts }: { facts: readonly Fact[] }): ReactElement {
  return (
    <dl className={styles.facts}>
      {facts.map(({ label, value, strong }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd data-strong={strong || undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
