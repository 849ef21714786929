import { notifications } from '@mantine/notifications';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { Panel } from '../../ui/panel.tsx';
import { downloadBlob, fileNameFrom } from '../canvas/download.ts';
import { useChartTheme } from '../canvas/use-chart-theme.ts';
import { type ChartTable, toCsv } from '../datasets/chart-table.ts';
import { type ChartHosts, ChartHostsContext } from './chart-hosts.tsx';
import styles from './chart-panel.module.css';
import { ChartPanelTools } from './chart-panel-tools.tsx';
import { ChartTableView } from './chart-table-view.tsx';

export type ChartPanelProps = {
  /** Names the comparison: "Message latency by cipher and link". */
  title: string;
  /** Unit and encoding: "ms; box P25 to P75, whiskers P5 to P95". */
  subtitle: string;
  /** The same data as a table; each chart has a function that makes it. */
  table: ChartTable;
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

  const savePng = async () => {
    if (!body.current) return;
    try {
      const { renderPng } = await import('../canvas/export-png.ts');
      const picture = await renderPng({ title, subtitle, hosts, body: body.current, theme });
      downloadBlob(picture, `${fileNameFrom(title)}.png`);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown reason';
      notifications.show({ message: `No picture: ${why}. The CSV has the same data.` });
    }
  };
  const saveSvg = async () => {
    if (!body.current) return;
    try {
      const { renderSvg } = await import('../canvas/export-svg.ts');
      downloadBlob(
        renderSvg({ title, subtitle, hosts, body: body.current, theme }),
        `${fileNameFrom(title)}.svg`,
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown reason';
      notifications.show({ message: `No drawing: ${why}. The CSV has the same data.` });
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
            showsTable={showsTable}
            onToggleTable={() => setShowsTable(!showsTable)}
            onSavePng={savePng}
            onSaveSvg={saveSvg}
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
