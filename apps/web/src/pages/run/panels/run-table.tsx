import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';

type RunTableProps<Row> = {
  /** Accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
};

/** The tables of a run's panels; nothing without rows. */
export function RunTable<Row>(props: RunTableProps<Row>): ReactElement | null {
  return props.rows.length === 0 ? null : <DataTable density="dense" {...props} />;
}

type TablePanel<Row> = {
  title: string;
  subtitle: (run: RunDetail) => string;
  /** Accessible name of the table; the title by default. */
  label?: string;
  rows: (run: RunDetail) => readonly Row[];
  columns: (rows: readonly Row[]) => readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** A line under the table. */
  below?: (run: RunDetail) => ReactNode;
  /** Replaces the table; undefined to show the table. */
  instead?: (run: RunDetail, rows: readonly Row[]) => ReactElement | undefined;
};

/** Makes a panel that is one table of a run. It renders nothing without rows. */
export function makeTablePanel<Row>(panel: TablePanel<Row>) {
  const { title, subtitle, label = title, columns, rowKey, below, instead } = panel;
  return function RunTablePanel({ run }: { run: RunDetail }): ReactElement | null {
    const rows = useMemo(() => panel.rows(run), [run]);
    if (rows.length === 0) return null;
    const replacement = instead?.(run, rows);
    if (replacement) return replacement;
    return (
      <Panel title={title} subtitle={subtitle(run)} flush>
        <RunTable label={label} columns={columns(rows)} rows={rows} rowKey={rowKey} />
        {below?.(run)}
      </Panel>
    );
  };
}
