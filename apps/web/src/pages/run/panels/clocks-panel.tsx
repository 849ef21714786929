import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { NO_VALUE } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo } from 'react';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { type ClockRow, clockRows, skewWords } from '../models/clock-rows.ts';
import styles from '../run-extras.module.css';

const columns: readonly Column<ClockRow>[] = [
  { id: 'device', head: 'Device', cell: ({ label }) => label },
  { id: 'before', head: 'Offset before', cell: ({ before }) => <span className="nowrap">{before}</span> },
  { id: 'after', head: 'After', cell: ({ after }) => <span className="nowrap">{after ?? NO_VALUE}</span> },
  { id: 'bound', head: 'Bound', numeric: true, cell: ({ bound }) => bound },
];

/** How far the clock of each device was from the server's, before and after the load. Nothing if nobody compared. */
export function ClocksPanel({ run }: { run: RunDetail }): ReactElement | null {
  const rows = useMemo(() => clockRows(run), [run]);
  if (rows.length === 0) return null;
  if (rows.every(({ isShared }) => isShared)) {
    return (
      <Panel title="Clocks" padded>
        <p>
          Every device reads the server’s own clock: there is no offset, and one-way latency is exact by it.{' '}
          {skewWords(run)}
        </p>
      </Panel>
    );
  }
  const hasService = rows.some(({ service }) => service !== '');
  return (
    <Panel title="Clocks" subtitle="against the server" flush>
      <DataTable
        label="Clocks of the devices"
        density="dense"
        columns={
          hasService
            ? [
                ...columns,
                {
                  id: 'service',
                  head: 'Kept by',
                  cell: ({ service }) => service || NO_VALUE,
                  hideOnPhone: true,
                },
              ]
            : columns
        }
        rows={rows}
        rowKey={({ key }) => key}
      />
      <p className={styles.below}>{skewWords(run)}</p>
    </Panel>
  );
}
