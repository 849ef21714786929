import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import { IconAlertTriangle, IconCircleX } from '@tabler/icons-react';
import { memo, type ReactElement, type ReactNode, useMemo, useState } from 'react';
import { formatClock } from '../ui/format.ts';
import { SegmentedSwitch } from '../ui/input/segmented-switch.tsx';
import { Panel, ScrollRegion } from '../ui/panel.tsx';
import styles from './log-panel.module.css';

export type LogEntry = { key: string | number; line: LogLine };

type LogPanelProps = {
  /** In the order they are shown. */
  entries: readonly LogEntry[];
  /** After the title: "newest first". */
  subtitle: string;
  /** Takes the height left in its column. */
  fill?: boolean;
  /** Said while there is no line. */
  empty: string;
  /** After the last line: how to get more of them. */
  foot?: ReactNode;
};

/** What server and devices said, with a switch to warnings and errors only. */
export const LogPanel = memo(function LogPanel(props: LogPanelProps): ReactElement {
  const { entries, subtitle, fill, empty, foot } = props;
  const [shown, setShown] = useState<'all' | 'warnings'>('all');
  const warnings = useMemo(
    () => entries.filter(({ line }) => line.level === 'warn' || line.level === 'error'),
    [entries],
  );
  const lines = shown === 'all' ? entries : warnings;
  return (
    <Panel
      title="Log"
      subtitle={subtitle}
      flush
      fill={fill ?? false}
      actions={
        <SegmentedSwitch
          label="Log lines"
          size="sm"
          value={shown}
          onChange={setShown}
          options={[
            { value: 'all', label: 'All' },
            { value: 'warnings', label: 'Warnings', count: warnings.length },
          ]}
        />
      }
    >
      <ScrollRegion className={styles.scroll} label="Log lines">
        {lines.length === 0 ? (
          <p className={styles.empty}>{shown === 'all' ? empty : 'No warning so far.'}</p>
        ) : (
          <ol className={styles.lines}>
            {lines.map(({ key, line }) => (
              <LogItem key={key} line={line} />
            ))}
          </ol>
        )}
        {foot}
      </ScrollRegion>
    </Panel>
  );
});

/** Each line is drawn once, however many follow. */
const LogItem = memo(function LogItem({ line }: { line: LogLine }): ReactElement {
  return (
    <li data-level={line.level}>
      <time dateTime={new Date(line.at).toISOString()}>{formatClock(line.at)}</time>
      <span className={styles.source} title={line.source}>
        {line.source}
      </span>
      <span className={styles.text}>
        {line.level === 'warn' && <IconAlertTriangle size={12} stroke={2.2} aria-label="Warning" />}
        {line.level === 'error' && <IconCircleX size={12} stroke={2.2} aria-label="Error" />}
        {line.text}
      </span>
    </li>
  );
});
