import { Skeleton } from '@mantine/core';
import type { ReactElement } from 'react';
import styles from './skeletons.module.css';

/** Placeholder in a panel; `heightPx` is the height of the final content. */
export function BlockSkeleton({ heightPx }: { heightPx: number }): ReactElement {
  return <Skeleton height={heightPx} radius="sm" aria-hidden />;
}

type TableSkeletonProps = { rows: number; density?: 'dense' | 'default' | 'two-line' };

/** Placeholder for a DataTable, with the same heights. */
export function TableSkeleton({ rows, density = 'default' }: TableSkeletonProps): ReactElement {
  return (
    <div className={styles.table} data-density={density} role="status" aria-label="Loading">
      <div className={styles.head} />
      {Array.from({ length: rows }, (_, row) => `row-${row}`).map((key, row) => (
        <div className={styles.row} key={key}>
          <Skeleton height={10} width={`${60 - ((row * 13) % 30)}%`} />
          <Skeleton height={10} width={`${80 - ((row * 7) % 30)}%`} />
          <Skeleton height={10} width="40%" />
        </div>
      ))}
    </div>
  );
}

/** Placeholder for a page: one strip and two panels. */
export function PageSkeleton(): ReactElement {
  return (
    <div className={styles.page} role="status" aria-label="Loading the page">
      <Skeleton height={24} width={280} />
      <Skeleton height={56} radius="md" />
      <Skeleton height={320} radius="md" />
    </div>
  );
}
