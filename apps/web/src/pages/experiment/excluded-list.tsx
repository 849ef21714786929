import type { Excluded } from '@mqttlab/shared/domain/plans/plan';
import { formatCount } from '@mqttlab/shared/format/number';
import { IconBan } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import styles from './excluded-list.module.css';

/** Combinations that the testbed cannot run stay visible with their reasons. */
export function ExcludedList({ excluded }: { excluded: readonly Excluded[] }): ReactElement | null {
  if (excluded.length === 0) return null;
  const words =
    excluded.length === 1 ? '1 combination is' : `${formatCount(excluded.length)} combinations are`;
  return (
    <details className={styles.excluded}>
      <summary>
        <IconBan size={14} stroke={2.2} aria-hidden />
        {words} left out as impossible
      </summary>
      <ul>
        {excluded.map((item) => (
          <li key={JSON.stringify(item.levels)}>
            <s>{item.label}</s> {item.reasons.map(({ reason }) => reason).join('; ')}
          </li>
        ))}
      </ul>
    </details>
  );
}
