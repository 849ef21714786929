import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { Fragment, type ReactElement, type ReactNode, useMemo } from 'react';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';
import styles from './panels.module.css';

type RunTableProps<Row> = {
  /** Accessible name. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
};

/** A table in a run's panel; renders nothing without rows. */
function RunTable<Row>(props: RunTableProps<Row>): ReactElement | null {
  return props.rows.length === 0 ? null : <DataTable density="dense" {...props} />;
}

/** The table below the chart of a panel. */
export function TableBelow<Row>(props: RunTableProps<Row>): ReactElement {
  return (
    <div className={styles.table}>
      <RunTable {...props} />
    </div>
  );
}

type PanelTable<Data> = { label: string; show: (data: Data) => ReactNode };

type PanelTableSpec<Data, Row> = Omit<RunTableProps<Row>, 'rows' | 'columns'> & {
  rows: (data: Data) => readonly Row[];
  columns: readonly Column<Row>[] | ((rows: readonly Row[]) => readonly Column<Row>[]);
  /** Lines above and below the table, shown only if it has rows. */
  heading?: string;
  note?: string;
};

/** Returns a table for a panel. */
export function panelTable<Data, Row>(spec: PanelTableSpec<Data, Row>): PanelTable<Data> {
  const { label, columns, rowKey, heading, note } = spec;
  const show = (data: Data) => {
    const rows = spec.rows(data);
    if (rows.length === 0) return null;
    const shown = typeof columns === 'function' ? columns(rows) : columns;
    return (
      <>
        {heading && <h3 className={styles.heading}>{heading}</h3>}
        <RunTable label={label} columns={shown} rows={rows} rowKey={rowKey} />
        {note && <p className={styles.note}>{note}</p>}
      </>
    );
  };
  return { label, show };
}

type TablePanel<Data> = {
  title: string;
  subtitle: (run: RunDetail, data: Data) => string;
  /** Returns the data that the panel shows for a run; null or an empty list hides the panel. */
  read: (run: RunDetail) => Data | null;
  /** Content above the tables. Without it, the tables reach the edges of the panel. */
  above?: (data: Data) => ReactNode;
  tables: readonly PanelTable<Data>[];
  below?: (run: RunDetail) => ReactNode;
  /** Returns an element that replaces the panel; undefined to show the tables. */
  instead?: (run: RunDetail, data: Data) => ReactElement | undefined;
};

/** Makes a panel of tables. */
export function makeTablePanel<Data>(panel: TablePanel<Data>) {
  const { title, subtitle, above, tables, below, instead } = panel;
  return function RunTablePanel({ run }: { run: RunDetail }): ReactElement | null {
    const data = useMemo(() => panel.read(run), [run]);
    if (data === null || (Array.isArray(data) && data.length === 0)) return null;
    const replacement = instead?.(run, data);
    if (replacement) return replacement;
    return (
      <Panel title={title} subtitle={subtitle(run, data)} flush={!above}>
        {above?.(data)}
        {tables.map(({ label, show }) => (
          <Fragment key={label}>{show(data)}</Fragment>
        ))}
        {below?.(run)}
      </Panel>
    );
  };
}
