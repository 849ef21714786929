import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { formatTimeOfDay } from '../format/time.ts';
import { useShellStatus } from './shell-status.tsx';
import styles from './storage-banner.module.css';

/** On every page while the server can keep nothing: what happened, what is lost, what to do. */
export function StorageBanner(): ReactElement {
  const { storage } = useShellStatus();
  return (
    <div aria-live="assertive">
      {storage && (
        <div className={styles.banner}>
          <IconAlertTriangle className={styles.icon} size={16} stroke={2.2} aria-hidden />
          <span>
            <strong>{storage.message}</strong> Since {formatTimeOfDay(storage.since)} nothing new is kept;
            what was kept before is there. {storage.remedy}
          </span>
        </div>
      )}
    </div>
  );
}
