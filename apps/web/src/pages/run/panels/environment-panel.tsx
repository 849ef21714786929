import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { NO_VALUE } from '@mqttlab/shared/format/number';
import { type ReactElement, useMemo } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { ScrollRegion } from '../../experiment/scroll-region.tsx';
import { makeEnvironment } from '../models/environment-rows.ts';
import styles from './environment-panel.module.css';

/** What ran where: kernel, processor, versions, clocks, and the configuration of the broker. */
export function EnvironmentPanel({ run }: { run: RunDetail }): ReactElement {
  const { rows, blocks } = useMemo(() => makeEnvironment(run), [run]);
  const columns = rows[0]?.values ?? [];
  const overhead = run.overheadMs === null ? '' : `overhead ${formatDuration(run.overheadMs)}`;
  return (
    <Panel title="Environment" subtitle={overhead} flush>
      {rows.length === 0 ? (
        <EmptyState sentence="No device described itself in this run." />
      ) : (
        <ScrollRegion className={styles.scroll} label="Environment by device">
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Fact</th>
                {columns.map(({ key, label, host }) => (
                  <th key={key} scope="col">
                    {label} <span className="mono">{host}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.key}>
                  <th scope="row">{row.label}</th>
                  {row.isShared ? (
                    <td colSpan={columns.length}>
                      {row.values[0]?.text}{' '}
                      {row.values[0]?.text !== NO_VALUE && (
                        <span className={styles.same}>on all devices</span>
                      )}
                    </td>
                  ) : (
                    row.values.map(({ key, text }) => <td key={key}>{text}</td>)
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      {blocks.map((block) => (
        <details key={block.key} className={styles.block}>
          <summary>{block.label}</summary>
          <ScrollRegion label={block.label}>
            <pre>{block.text}</pre>
          </ScrollRegion>
        </details>
      ))}
    </Panel>
  );
}
