import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import { IconAlertTriangle, IconCircleX } from '@tabler/icons-react';
import { memo, type ReactElement, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { formatClock } from '../ui/format.ts';
import { SegmentedSwitch } from '../ui/input/segmented-switch.tsx';
import { Panel, ScrollRegion } from '../ui/panel.tsx';
import styles from './log-panel.module.css';

export type LogEntry = { key: string | number; line: LogLine };

type LogPanelProps = {
  /** Entries in display order. */
  entries: readonly LogEntry[];
  /** Shown after the title: "newest first". */
  subtitle: string;
  /** Whether the panel fills the remaining height of its column. */
  fill?: boolean;
  /** Keeps the last line in view, unless the reader has scrolled up. */
  follows?: boolean;
  /** Shown while there are no lines. */
  empty: string;
  /** Shown after the last line, such as a button that loads more. */
  foot?: ReactNode;
};

/** Log lines from server and devices, with a switch that shows only warnings and errors. */
export const LogPanel = memo(function LogPanel(props: LogPanelProps): ReactElement {
  const { entries, subtitle, fill, follows = false, empty, foot } = props;
  const [shown, setShown] = useState<'all' | 'warnings'>('all');
  const warnings = useMemo(
    () => entries.filter(({ line }) => line.level === 'warn' || line.level === 'error'),
    [entries],
  );
  const lines = shown === 'all' ? entries : warnings;
  const follow = useFollowing(follows, lines);
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
      <ScrollRegion className={styles.scroll} label="Log lines" {...follow}>
        {lines.length === 0 ? (
          <p className={styles.empty}>{shown === 'all' ? empty : 'No warnings so far.'}</p>
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

/** Distance from the end, in px, above which the reader has scrolled up. */
const nearPx = 24;

/** Scrolls to the end with each new line, without a layout shift. */
function useFollowing(follows: boolean, lines: readonly LogEntry[]) {
  const region = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const box = region.current;
    if (box && lines.length > 0 && follows && isAtEnd.current) box.scrollTop = box.scrollHeight;
  }, [follows, lines]);
  return {
    region,
    onScroll: () => {
      const box = region.current;
      if (box) isAtEnd.current = box.scrollHeight - box.clientHeight - box.scrollTop < nearPx;
    },
  };
}

/** Memoised, so that new lines do not render existing ones again. */
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
