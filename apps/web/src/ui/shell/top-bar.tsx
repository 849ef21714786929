import { ActionIcon, Skeleton, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import {
  IconAlertTriangle,
  IconLoader2,
  IconMenu2,
  IconMoon,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlugConnectedX,
  IconSun,
  IconTopologyStar3,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { formatDuration, formatTimeOfDay } from '../format.ts';
import { HelpLink } from './help-link.tsx';
import type { SlotRefs } from './page.tsx';
import { type TestbedStatus, useShellStatus } from './shell-status.tsx';
import styles from './top-bar.module.css';

/** Returns the inactive colour scheme. */
export function useOtherScheme(): { next: 'light' | 'dark'; switchScheme: () => void } {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const next = scheme === 'dark' ? 'light' : 'dark';
  return { next, switchScheme: () => setColorScheme(next) };
}

export function ThemeToggle(): ReactElement {
  const { next, switchScheme } = useOtherScheme();
  const label = `Switch to ${next} colours`;
  return (
    <ActionIcon aria-label={label} title={label} onClick={switchScheme}>
      {next === 'light' ? (
        <IconSun size={16} stroke={2} aria-hidden />
      ) : (
        <IconMoon size={16} stroke={2} aria-hidden />
      )}
    </ActionIcon>
  );
}

/** Describes the status of the devices: "in use, 2 online, 1 off". */
export function testbedWords({ isInUse, online, onStandby, off }: TestbedStatus): string {
  return [
    isInUse ? 'in use' : 'idle',
    ...(online > 0 ? [`${online} online`] : []),
    ...(off > 0 ? [`${off} off`] : []),
    ...(onStandby > 0 ? [`${onStandby} on standby`] : []),
  ].join(', ');
}

/** The current experiment with progress and time left. */
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

/** Connection status; screen readers announce changes politely. */
function ConnectionCell(): ReactElement {
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
          Server not reachable since {formatTimeOfDay(connection.sinceMs)}
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

/** Warning on every page while the server cannot store data: cause, lost data and remedy. */
export function StorageBanner(): ReactElement {
  const { storage } = useShellStatus();
  return (
    <div aria-live="assertive">
      {storage && (
        <div className={styles.banner}>
          <IconAlertTriangle className={styles.icon} size={16} stroke={2.2} aria-hidden />
          <span>
            <strong>{storage.message}</strong> No new data has been stored since{' '}
            {formatTimeOfDay(storage.since)}. Data stored earlier is kept. {storage.remedy}
          </span>
        </div>
      )}
    </div>
  );
}

type TopBarProps = { refs: SlotRefs };

export function TopBar({ refs }: TopBarProps): ReactElement {
  return (
    <header className={styles.bar}>
      <div className={styles.crumbs} ref={refs.crumbs} />
      <div className={styles.cells}>
        <RunningCell />
        <TestbedCell />
        <ConnectionCell />
        <div className={styles.last}>
          <HelpLink />
          <ThemeToggle />
        </div>
      </div>
    </header>
  );
}

export function PhoneTopBar({ refs, onMenu }: TopBarProps & { onMenu?: () => void }): ReactElement {
  return (
    <header className={`${styles.bar} ${styles.phone}`}>
      <div className={styles.crumbs} ref={refs.phoneTitle} />
      <ConnectionCell />
      <div className={styles.tools} ref={refs.phoneActions} />
      {onMenu && (
        <ActionIcon size="lg" aria-label="Menu" onClick={onMenu}>
          <IconMenu2 size={18} stroke={2} aria-hidden />
        </ActionIcon>
      )}
    </header>
  );
}
