import { findStudy } from '@mqttlab/shared/catalogue/studies';
import { makeOwnStudy } from '@mqttlab/shared/catalogue/studies/own-study';
import type { Study } from '@mqttlab/shared/catalogue/studies/study';
import type { StudyRun, StudyRunPart } from '@mqttlab/shared/messages/studies';
import type { ReactElement, ReactNode } from 'react';
import { formatDateTime } from '../../../ui/format.ts';
import report from '../../report/report.module.css';
import result from '../result/result-view.module.css';
import { PartSection } from './part-section.tsx';
import { PartsProgress } from './parts-progress.tsx';

export type RunDocumentProps = {
  run: StudyRun;
  /** What a part that was run came to; not asked for parts that were not. */
  results: (part: StudyRunPart, study: Study) => ReactNode;
  /** For shared links: experiments are named and lead nowhere. */
  readOnly?: boolean;
};

/** A study that was started as a whole: how far its parts are, and one document of all of them. */
export function RunDocument({ run, results, readOnly = false }: RunDocumentProps): ReactElement {
  const { title, testbedId, scale, createdAt, parts } = run;
  const study = studyOf(run);
  const citation = study?.citation ?? '';
  return (
    <article className={`${report.document} ${result.document}`}>
      <header>
        <h2 className={report.title}>{title}</h2>
        <p className={report.when}>
          {citation ? `${citation} · ` : ''}Testbed {testbedId}, scale {scale}, started{' '}
          {formatDateTime(createdAt)}
        </p>
        <p className={report.question}>{study?.question}</p>
      </header>
      <PartsProgress run={run} readOnly={readOnly} />
      {study &&
        parts.map((part) => (
          <PartSection key={part.id} part={part}>
            {part.experimentId !== null && results(part, study)}
          </PartSection>
        ))}
    </article>
  );
}

function studyOf({ own, studyId }: StudyRun): Study | undefined {
  return own ? makeOwnStudy(own) : findStudy(studyId);
}
