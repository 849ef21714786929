import type { Excluded } from '@mqttlab/shared/domain/plans/plan';
import { formatCount } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { Panel } from '../../../ui/panel.tsx';
import { DataTable } from '../../../ui/tables/data-table.tsx';
import { groupByReason, type ReasonRow } from './group-by-reason.ts';
import styles from './review-tables.module.css';

/** What was asked for and cannot be: named in the report, never silently dropped. */
export function ExcludedTable({ excluded }: { excluded: readonly Excluded[] }): ReactElement | null {
  if (excluded.length === 0) return null;
  return (
    <>
      <div className={styles.gap} />
      <Panel flush title="Struck out" subtitle={`${formatCount(excluded.length)} combinations cannot be`}>
        <DataTable
          label="Combinations that cannot be"
          columns={[
            {
              id: 'count',
              head: 'Combinations',
              numeric: true,
              width: '108px',
              sortValue: (row: ReasonRow) => row.count,
              cell: (row: ReasonRow) => formatCount(row.count),
            },
            {
              id: 'reason',
              head: 'Why',
              cell: (row) => (
                <span className={styles.two}>
                  {row.reason}
                  <span className="second">{row.remedy}</span>
                </span>
              ),
            },
            {
              id: 'levels',
              head: 'Which',
              cell: (row) => <s className={styles.struck}>{row.levels.join(', ')}</s>,
            },
          ]}
          rows={groupByReason(excluded)}
          rowKey={(row) => row.key}
        />
      </Panel>
    </>
  );
}
