import { notifications } from '@mantine/notifications';
import type { Cell } from '@mqttlab/charts/table';
import { briefCellText, type DocumentTable, toCsv } from '@mqttlab/charts/table';
import { type ReactElement, type ReactNode, useMemo, useRef, useState } from 'react';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useChartTheme } from '../canvas/chart-theme.ts';
import { type ChartHosts, ChartHostsContext, downloadBlob, fileNameFrom } from '../canvas/download.ts';
import styles from './chart-panel.module.css';
import { ChartPanelTools } from './chart-panel-tools.tsx';

export type ChartPanelProps = {
  /** Names the comparison: "Message latency by cipher and link". */
  title: string;
  /** Unit and encoding: "ms; box P25 to P75, whiskers P5 to P95". */
  subtitle: string;
  /** The same data as a table; each chart has a function that makes it. */
  table: DocumentTable;
  /** Switches of the chart itself, before the table, PNG and CSV buttons. */
  actions?: ReactNode;
  mark?: ReactNode;
  /** A line under the chart: what was left out, and why. */
  footnote?: ReactNode;
  children: ReactNode;
};

/** Every chart stands in one of these: named, explained, and also a table, a PNG and a CSV. */
export function ChartPanel(props: ChartPanelProps): ReactElement {
  const { title, subtitle, table, actions, mark, footnote, children } = props;
  const [showsTable, setShowsTable] = useState(false);
  const [hosts] = useState<ChartHosts>(() => new Map());
  const body = useRef<HTMLDivElement>(null);
  const theme = useChartTheme();

  const savePicture = async (kind: 'png' | 'svg') => {
    if (!body.current) return;
    try {
      const { renderPng, renderSvg } = await import('../canvas/export-chart.ts');
      const render = kind === 'png' ? renderPng : renderSvg;
      const picture = await render({ title, subtitle, hosts, body: body.current, theme });
      downloadBlob(picture, `${fileNameFrom(title)}.${kind}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown reason';
      notifications.show({ message: `No picture: ${why}. The CSV has the same data.` });
    }
  };
  const saveCsv = () => {
    downloadBlob(new Blob([toCsv(table)], { type: 'text/csv;charset=utf-8' }), `${fileNameFrom(title)}.csv`);
  };

  return (
    <Panel
      title={title}
      subtitle={subtitle}
      mark={mark}
      actions={
        <>
          {actions}
          <ChartPanelTools
            title={title}
            table={table}
            showsTable={showsTable}
            onToggleTable={() => setShowsTable(!showsTable)}
            onSavePng={() => savePicture('png')}
            onSaveSvg={() => savePicture('svg')}
            onSaveCsv={saveCsv}
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
