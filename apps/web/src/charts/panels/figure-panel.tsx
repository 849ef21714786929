import type { Cell } from '@mqttlab/charts/table';
import { briefCellText, type DocumentTable } from '@mqttlab/charts/table';
import { type ReactElement, type ReactNode, useMemo, useRef, useState } from 'react';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useChartTheme } from '../canvas/chart-theme.ts';
import { type ChartHosts, ChartHostsContext, panelPicture } from '../canvas/panel-picture.ts';
import { fileNameFrom } from './download.ts';
import styles from './figure-panel.module.css';
import { FigureTools } from './figure-tools.tsx';

export type FigurePanelProps = {
  /** Title that names the comparison: "Message latency by cipher and link". */
  title: string;
  /** Unit and encoding: "ms; box P25 to P75, whiskers P5 to P95". */
  subtitle: string;
  /** The values of the figure as a table; each kind of chart has a function that makes it. */
  table: DocumentTable;
  /** Controls of the figure, before the controls for table and downloads. */
  actions?: ReactNode;
  mark?: ReactNode;
  /** A line under the figure that names omitted runs and the reason. */
  footnote?: ReactNode;
  children: ReactNode;
};

/** A figure with its title, its table and its downloads. */
export function FigurePanel(props: FigurePanelProps): ReactElement {
  const { title, subtitle, table, actions, mark, footnote, children } = props;
  const [showsTable, setShowsTable] = useState(false);
  const [hosts] = useState<ChartHosts>(() => new Map());
  const body = useRef<HTMLDivElement>(null);
  const theme = useChartTheme();

  const figure = {
    fileName: fileNameFrom(title),
    title,
    subtitle,
    table,
    palette: theme,
    pictureOf: () => {
      if (!body.current) throw new Error('the chart is not on the page');
      return panelPicture(hosts, body.current, theme);
    },
  };

  return (
    <Panel
      title={title}
      subtitle={subtitle}
      mark={mark}
      actions={
        <>
          {actions && (
            <div className={styles.controls} data-controls>
              {actions}
            </div>
          )}
          <FigureTools
            figure={figure}
            caption={title}
            showsTable={showsTable}
            onToggleTable={() => setShowsTable(!showsTable)}
            hasPicture={!showsTable}
          />
        </>
      }
    >
      <div className={styles.stage}>
        <div className={styles.chart} data-hidden={showsTable || undefined} ref={body} inert={showsTable}>
          <ChartHostsContext value={hosts}>{children}</ChartHostsContext>
        </div>
        {showsTable && (
          <div className={styles.table}>
            <ChartTableView label={title} table={table} />
          </div>
        )}
      </div>
      {footnote && <p className={styles.footnote}>{footnote}</p>}
    </Panel>
  );
}

type NumberedRow = { key: string; cells: readonly Cell[] };

const rowKey = (row: NumberedRow): string => row.key;

/** A chart's data as a dense, sortable table. */
function ChartTableView({ label, table }: { label: string; table: DocumentTable }): ReactElement {
  const rows = useMemo(() => table.rows.map((cells, i) => ({ key: String(i), cells })), [table]);
  const columns = useMemo<Column<NumberedRow>[]>(
    () =>
      table.columns.map((column, i) => ({
        id: String(i),
        head: column.head,
        ...(column.unit ? { unit: column.unit } : {}),
        numeric: table.rows.some((cells) => typeof cells[i] === 'number'),
        sortValue: (row) => row.cells[i],
        cell: (row) => briefCellText(row.cells[i], column),
      })),
    [table],
  );
  return <DataTable label={label} columns={columns} rows={rows} rowKey={rowKey} density="dense" />;
}
