import type { Installation, InstallStep } from '@mqttlab/shared/messages/devices';
import type { ReactElement } from 'react';
import { formatDuration } from '../../../ui/format/duration.ts';
import { StatusLine } from '../../../ui/status.tsx';
import type { StatusKind } from '../../../ui/status-kinds.ts';
import styles from './remote.module.css';

const kinds: Readonly<Record<InstallStep['status'], StatusKind>> = {
  waiting: 'planned',
  running: 'preparing',
  done: 'done',
  failed: 'failed',
};

/** Every step of the work on a device, with what was found or done. */
export function InstallSteps({ installation }: { installation: Installation }): ReactElement {
  const { steps, failure, deviceId } = installation;
  return (
    <>
      <ol className={styles.steps} aria-label={`Steps on ${deviceId}`} aria-live="polite">
        {steps.map(({ id, label, status, detail, durationMs }) => (
          <li key={id}>
            <StatusLine kind={kinds[status]}>{label}</StatusLine>
            <span className={styles.detail}>{detail}</span>
            <span className={styles.time}>{durationMs === null ? '' : formatDuration(durationMs)}</span>
          </li>
        ))}
      </ol>
      {failure && (
        <div className={styles.failure} role="alert">
          <p>{failure.message}</p>
          <p>{failure.remedy}</p>
        </div>
      )}
    </>
  );
}
