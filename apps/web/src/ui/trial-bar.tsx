import type { ReactElement } from 'react';
import styles from './trial-bar.module.css';

type TrialBarProps = {
  total: number;
  done: number;
  /** Number of flagged trials, which are included in the completed trials. */
  flagged?: number;
  failed?: number;
  running?: number;
  /** True for a running experiment, shown in the accent colour. */
  isLive?: boolean;
};

/** Done, flagged, failed and running trials as a 4 px bar, next to their counts as text. */
export function TrialBar(props: TrialBarProps): ReactElement {
  const { total, done, flagged = 0, failed = 0, running = 0, isLive = false } = props;
  const good = Math.max(0, done - flagged - failed);
  const parts = [
    { kind: isLive ? 'live' : 'done', count: good },
    { kind: 'flagged', count: flagged },
    { kind: 'failed', count: failed },
    { kind: 'running', count: running },
  ];
  return (
    <span className={styles.bar} aria-hidden>
      {parts
        .filter((part) => part.count > 0)
        .map((part) => (
          <i
            key={part.kind}
            data-kind={part.kind}
            style={{ width: `${(part.count / Math.max(1, total)) * 100}%` }}
          />
        ))}
    </span>
  );
}
