import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { StudyRun, StudyRunPart } from '@mqttlab/shared/messages/studies';
import { makeOwnStudy } from '@mqttlab/shared/planning/own-study';
import type { Study } from '@mqttlab/shared/planning/study';
import { findStudy } from '@mqttlab/studies/studies';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import { formatDateTime, formatDuration } from '../../../ui/format.ts';
import { type StatusKind, StatusLine } from '../../../ui/status.tsx';
import { TrialBar } from '../../../ui/trial-bar.tsx';
import report from '../../report/report.module.css';
import section from './part-section.module.css';
import progressCss from './parts-progress.module.css';
import page from './study-document.module.css';

type RunDocumentProps = {
  run: StudyRun;
  /** Returns the results of a part that was run. Not called for other parts. */
  results: (part: StudyRunPart, study: Study) => ReactNode;
  /** The board of claims, before the parts. */
  board?: ReactNode;
  /** Results over several parts. */
  closing?: ReactNode;
  /** True for share links, in which experiments are named without links. */
  readOnly?: boolean;
};

/** A study run, with the progress of all parts and one document for all parts. */
export function RunDocument({
  run,
  results,
  board,
  closing,
  readOnly = false,
}: RunDocumentProps): ReactElement {
  const { title, testbedId, scale, createdAt, parts } = run;
  const study = useMemo(() => studyOf(run), [run]);
  const shared = sharedLeftOut(parts);
  const citation = study?.citation ?? '';
  return (
    <article className={`${report.document} ${page.document}`}>
      <header>
        <h2 className={report.title}>{title}</h2>
        <p className={report.when}>
          {citation ? `${citation} · ` : ''}Testbed {testbedId}, scale {scale}, started{' '}
          {formatDateTime(createdAt)}
        </p>
        <p className={report.question}>{study?.question}</p>
      </header>
      {board}
      <PartsProgress run={run} readOnly={readOnly} />
      {shared.length > 0 && (
        <details className={section.leftOut}>
          <summary>Left out of several parts on this testbed: {shared.length}</summary>
          <LeftOutList leftOut={shared} />
        </details>
      )}
      {study &&
        parts.map((part) => (
          <PartSection
            key={part.id}
            part={part}
            leftOut={part.leftOut.filter(
              (one) => part.experimentId === null || !shared.some((other) => isSame(one, other)),
            )}
          >
            {part.status !== null && !isFinished(part.status) && (
              <p className={report.note}>
                This part has not finished. The results below are from completed runs.
              </p>
            )}
            {part.experimentId !== null && results(part, study)}
          </PartSection>
        ))}
      {closing && (
        <section className={section.part} aria-label="All parts">
          <h3 className={section.title}>All parts</h3>
          {closing}
        </section>
      )}
    </article>
  );
}

export function studyOf({ own, studyId }: StudyRun): Study | undefined {
  return own ? makeOwnStudy(own) : findStudy(studyId);
}

type LeftOut = StudyRunPart['leftOut'][number];

const isSame = (one: LeftOut, other: LeftOut): boolean =>
  one.what === other.what && one.reason === other.reason;

/** Returns omissions that at least two parts have for the same reason, without duplicates. */
function sharedLeftOut(parts: readonly StudyRunPart[]): LeftOut[] {
  const all = parts.flatMap(({ leftOut }) => leftOut);
  return all.filter(
    (one, index) =>
      all.findIndex((other) => isSame(one, other)) === index &&
      all.filter((other) => isSame(one, other)).length > 1,
  );
}

type PartSectionProps = {
  part: StudyRunPart;
  /** Omissions that only this part has; all omissions if it was not run. */
  leftOut: readonly LeftOut[];
  children: ReactNode;
};

/** A part of a study run: omissions, then results. A part that was not run is a gap. */
function PartSection({ part, leftOut, children }: PartSectionProps): ReactElement {
  const { id, title, question, experimentId } = part;
  return (
    <section className={section.part} aria-label={`Part ${id}: ${title}`} id={`part-${id}`}>
      <h3 className={section.title}>
        <span className={section.letter}>{id}</span> {title}
      </h3>
      <p className={report.question}>{question}</p>
      {leftOut.length > 0 && (
        <details className={section.leftOut} open={experimentId === null}>
          <summary>
            {experimentId === null
              ? 'Gap: this part was not run. Reason:'
              : `Not available on this testbed: ${leftOut.length}`}
          </summary>
          <LeftOutList leftOut={leftOut} />
        </details>
      )}
      {children}
    </section>
  );
}

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

/** Items that the testbed does not support, with reasons and remedies. */
export function LeftOutList({ leftOut }: { leftOut: readonly LeftOut[] }): ReactElement {
  return (
    <ul>
      {leftOut.map(({ what, reason, remedy }) => (
        <li key={`${what} ${reason}`}>
          <b>{what}</b>: {reason}. {remedy}
        </li>
      ))}
    </ul>
  );
}

/** All parts with status, trials and a link to the experiment. */
function PartsProgress({ run, readOnly }: { run: StudyRun; readOnly: boolean }): ReactElement {
  return (
    <ol className={progressCss.parts} aria-label="Parts">
      {run.parts.map((part) => (
        <PartProgress key={part.id} part={part} readOnly={readOnly} />
      ))}
    </ol>
  );
}

function PartProgress({ part, readOnly }: { part: StudyRunPart; readOnly: boolean }): ReactElement {
  const { id, title, experimentId, status, progress, timeLeftMs } = part;
  return (
    <li className={progressCss.part} data-gap={experimentId === null || undefined}>
      <a className={progressCss.name} href={`#part-${id}`}>
        <span className={progressCss.letter}>{id}</span> {title}
      </a>
      {experimentId === null && <span className={progressCss.gap}>Gap: not run</span>}
      {experimentId !== null && status === null && (
        <span className={progressCss.gap}>Experiment deleted</span>
      )}
      {status !== null && progress !== null && (
        <>
          <StatusLine kind={kinds[status]} />
          <span className={progressCss.count}>
            {progress.done} of {progress.trials} runs
            {progress.failed > 0 && `, ${progress.failed} failed`}
            {progress.flagged > 0 && `, ${progress.flagged} flagged`}
            {timeLeftMs !== null && `, ${formatDuration(timeLeftMs)} left`}
          </span>
          {readOnly ? (
            <span className={progressCss.code}>E-{experimentId}</span>
          ) : (
            <Link className={progressCss.link} to={`/experiments/${experimentId}`}>
              E-{experimentId}
            </Link>
          )}
          {!isFinished(status) && (
            <span className={progressCss.bar}>
              <TrialBar
                total={progress.trials}
                done={progress.done}
                flagged={progress.flagged}
                failed={progress.failed}
                running={progress.running}
                isLive={status === 'running'}
              />
            </span>
          )}
        </>
      )}
    </li>
  );
}
