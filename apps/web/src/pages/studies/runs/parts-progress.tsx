import type { StudyRun, StudyRunPart } from '@mqttlab/shared/messages/studies';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { formatDuration } from '../../../ui/format.ts';
import type { StatusKind } from '../../../ui/status.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import { TrialBar } from '../../../ui/trial-bar.tsx';
import styles from './parts-progress.module.css';

const kinds: Readonly<Record<NonNullable<StudyRunPart['status']>, StatusKind>> = {
  draft: 'draft',
  queued: 'queued',
  running: 'running',
  pausing: 'running',
  paused: 'paused',
  stopping: 'running',
  done: 'done',
  stopped: 'stopped',
  cancelled: 'cancelled',
};

/** Every part with its state, its trials and the way to its experiment. */
export function PartsProgress({ run, readOnly }: { run: StudyRun; readOnly: boolean }): ReactElement {
  return (
    <ol className={styles.parts} aria-label="Parts">
      {run.parts.map((part) => (
        <PartProgress key={part.id} part={part} readOnly={readOnly} />
      ))}
    </ol>
  );
}

function PartProgress({ part, readOnly }: { part: StudyRunPart; readOnly: boolean }): ReactElement {
  const { id, title, experimentId, status, progress, timeLeftMs } = part;
  return (
    <li className={styles.part} data-gap={experimentId === null || undefined}>
      <a className={styles.name} href={`#part-${id}`}>
        <span className={styles.letter}>{id}</span> {title}
      </a>
      {experimentId === null && <span className={styles.gap}>Gap: not run</span>}
      {experimentId !== null && status === null && (
        <span className={styles.gap}>Its experiment was deleted</span>
      )}
      {status !== null && progress !== null && (
        <>
          <StatusLine kind={kinds[status]} />
          <span className={styles.count}>
            {progress.done} of {progress.trials} runs
            {progress.failed > 0 && `, ${progress.failed} failed`}
            {progress.flagged > 0 && `, ${progress.flagged} flagged`}
            {timeLeftMs !== null && `, ${formatDuration(timeLeftMs)} left`}
          </span>
          {readOnly ? (
            <span className={styles.code}>E-{experimentId}</span>
          ) : (
            <Link className={styles.link} to={`/experiments/${experimentId}`}>
              E-{experimentId}
            </Link>
          )}
          <span className={styles.bar}>
            <TrialBar
              total={progress.trials}
              done={progress.done}
              flagged={progress.flagged}
              failed={progress.failed}
              running={progress.running}
              isLive={status === 'running'}
            />
          </span>
        </>
      )}
    </li>
  );
}
