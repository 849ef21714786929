import type { ReactElement, ReactNode } from 'react';
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

type TablePanelProps<Row> = Omit<RunTableProps<Row>, 'label'> & {
  title: string;
  subtitle: string;
  label?: string;
  /** A line under it. */
  children?: ReactNode;
};

/** A panel that is one table. Nothing without rows. */
export function TablePanel<Row>(props: TablePanelProps<Row>): ReactElement | null {
  const { title, subtitle, label = title, children, ...table } = props;
  if (table.rows.length === 0) return null;
  return (
    <Panel title={title} subtitle={subtitle} flush>
      <RunTable label={label} {...table} />
      {children}
    </Panel>
  );
}
