import { Skeleton } from '@mantine/core';
import {
  IconAlertTriangle,
  IconLoader2,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlugConnectedX,
  IconTopologyStar3,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { formatDuration } from '../format/duration.ts';
import { formatTimeOfDay } from '../format/time.ts';
import { useShellStatus } from './shell-status.tsx';
import styles from './status-cells.module.css';
import { testbedWords } from './testbed-words.ts';

/** Which experiment holds the testbed now, how far it is, and how long it still takes. */
export function RunningCell(): ReactElement {
  const { running } = useShellStatus();
  if (running === undefined) return <CellSkeleton width={180} />;
  if (running === null) {
    return (
      <div className={styles.cell}>
        <span className={styles.dim}>Nothing running</span>
      </div>
    );
  }
  const { code, doneTrials, totalTrials, leftMs, state, href } = running;
  const RunIcon = state === 'paused' ? IconPlayerPause : IconPlayerPlay;
  const left = state === 'paused' ? 'paused' : leftMs === null ? '' : `${formatDuration(leftMs)} left`;
  return (
    <Link
      className={styles.cell}
      to={href}
      aria-label={`${code} ${state}: ${doneTrials} of ${totalTrials} ${left}`}
    >
      <RunIcon className={styles.accent} size={14} stroke={2.2} aria-hidden />
      <span className="mono">{code}</span>
      <progress className={styles.mini} value={doneTrials} max={Math.max(1, totalTrials)} aria-hidden />
      <span className="tabular">
        {doneTrials} of {totalTrials}
      </span>
      {left && <span className={`${styles.dim} ${styles.extra}`}>{left}</span>}
    </Link>
  );
}

export function TestbedCell(): ReactElement {
  const { testbed } = useShellStatus();
  if (testbed === undefined) return <CellSkeleton width={200} />;
  if (testbed === null) {
    return (
      <Link className={styles.cell} to="/devices">
        <IconTopologyStar3 className={styles.dim} size={16} stroke={2} aria-hidden />
        <span className={styles.dim}>No testbed yet</span>
      </Link>
    );
  }
  const { name, href } = testbed;
  const isBad = testbed.off > 0;
  const TestbedIcon = isBad ? IconAlertTriangle : IconTopologyStar3;
  const words = testbedWords(testbed);
  return (
    <Link className={styles.cell} to={href} title={`${name}: ${words}`} aria-label={`${name}: ${words}`}>
      <TestbedIcon className={isBad ? styles.bad : styles.dim} size={16} stroke={2} aria-hidden />
      <span>{name}</span>
      <span className={`${isBad ? styles.bad : styles.dim} ${styles.extra}`}>{words}</span>
    </Link>
  );
}

/** Announced politely, so that a screen reader hears when the server goes and comes back. */
export function ConnectionCell(): ReactElement {
  const { connection } = useShellStatus();
  return (
    <div className={styles.cell} role="status">
      {connection.state === 'connected' && (
        <>
          <IconPlugConnected className={styles.ok} size={16} stroke={2} aria-hidden />
          <span>Connected</span>
        </>
      )}
      {connection.state === 'connecting' && (
        <>
          <IconLoader2 className={styles.dim} size={16} stroke={2} aria-hidden />
          <span className={styles.dim}>Connecting</span>
        </>
      )}
      {connection.state === 'gone' && (
        <span className={styles.gone}>
          <IconPlugConnectedX size={16} stroke={2} aria-hidden />
          Server gone since {formatTimeOfDay(connection.sinceMs)}
        </span>
      )}
    </div>
  );
}

function CellSkeleton({ width }: { width: number }): ReactElement {
  return (
    <div className={styles.cell} aria-hidden>
      <Skeleton width={width} height={12} />
    </div>
  );
}
