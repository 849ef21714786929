import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { makeOwnStudy } from '@mqttlab/shared/planning/own-study';
import { type Study, type StudyOrigin, studyOriginOf } from '@mqttlab/shared/planning/study';
import { findStudy } from '@mqttlab/studies/studies';
import type { ReactElement } from 'react';
import { Link, useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { parseId } from '../../api/no-such.ts';
import { useApi } from '../../api/use-api.ts';
import { experimentCode } from '../../ui/format.ts';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { FlaggedSwitch, ReadingActions, useFlagged } from '../report/reading-actions.tsx';
import report from '../report/report.module.css';
import { type DrawnInput, PendingReport, StudyDocument } from './documents/part-document.tsx';
import { RunPartAgain } from './documents/run-part-again.tsx';
import styles from './documents/study-document.module.css';
import { useStudyPart } from './documents/use-study-part.ts';

/** Published results of a study next to the results of an experiment. */
export function ResultPage(): ReactElement {
  const { id: studyId = '', experimentId } = useParams();
  const number = parseId(experimentId);
  const experiment = useApi('GET /experiments/{id}', number === null ? null : { params: { id: number } });
  const listed = useApi('GET /studies');
  const own = listed.data?.items.find(({ id }) => id === studyId)?.own;
  const study = findStudy(studyId) ?? (own ? makeOwnStudy(own) : undefined);
  const origin = studyOriginOf(experiment.data?.tags ?? []);
  const code = number === null ? 'Experiment' : experimentCode(number);
  const isPart = study?.parts.some(({ id }) => id === origin?.partId) ?? false;
  if (number !== null && study && origin?.studyId === studyId && isPart) {
    return <PartPage study={study} origin={origin} number={number} />;
  }
  const problem = problemOf();

  function problemOf(): Error | null {
    if (number === null) return new Error(`“${experimentId}” is not the number of an experiment.`);
    if (experiment.error) return experiment.error;
    if (!study) return listed.data ? new Error(`There is no study “${studyId}”.`) : listed.error;
    if (experiment.data) return new Error(`${code} was not created from the study “${study.title}”.`);
    return null;
  }

  return (
    <Page title="Study" breadcrumbs={[{ label: 'Experiments', to: '/experiments' }]}>
      {problem ? (
        <ApiErrorState error={problem} onRetry={() => void experiment.refetch()} />
      ) : (
        <PageSkeleton />
      )}
    </Page>
  );
}

type PartPageProps = { study: Study; origin: StudyOrigin; number: number };

function PartPage({ study, origin, number }: PartPageProps): ReactElement {
  const flagged = useFlagged();
  const { experiment, input, isReportPending, error, flaggedRuns, retry } = useStudyPart({
    study,
    origin,
    flagged,
    experimentId: number,
  });
  const part = study.parts.find(({ id }) => id === origin.partId);
  return (
    <Page
      title={`${study.title}: ${part?.title ?? ''}`}
      crumb="Study"
      breadcrumbs={[
        { label: 'Experiments', to: '/experiments' },
        { label: experimentCode(number), to: `/experiments/${number}` },
      ]}
      actions={<ReadingActions flaggedRuns={flaggedRuns} />}
      phoneActions={<FlaggedSwitch flaggedRuns={flaggedRuns} isShort />}
    >
      {error && <ApiErrorState error={error} onRetry={retry} />}
      {!error && isReportPending && <PendingReport />}
      {!error && !isReportPending && !(input && experiment) && <PageSkeleton />}
      {!error && input && experiment && <ResultView input={input} experiment={experiment} />}
    </Page>
  );
}

type ResultViewProps = { input: DrawnInput; experiment: ExperimentDetail };

/** The document of one part, with links to the other parts. */
function ResultView({ input, experiment }: ResultViewProps): ReactElement {
  const { study, origin } = input;
  return (
    <article className={`${report.document} ${styles.document}`}>
      <header>
        <h2 className={report.title}>{study.title}</h2>
        <p className={report.when}>
          {study.citation ? `${study.citation} · ` : ''}E-{experiment.id} on testbed {experiment.testbedId},
          scale {origin.scale}
        </p>
        <p className={report.question}>{experiment.question}</p>
      </header>
      <StudyDocument input={input} afterNote={<RunPartAgain experiment={experiment} input={input} />} />
      <h3 className={report.heading}>Other parts of the study</h3>
      <OtherParts study={study} origin={origin} />
    </article>
  );
}

function OtherParts({ study, origin }: Pick<DrawnInput, 'study' | 'origin'>): ReactElement {
  const others = study.parts.filter(({ id }) => id !== origin.partId);
  if (others.length === 0) return <p className={report.paragraph}>This study has only this part.</p>;
  return (
    <ul className={styles.parts}>
      {others.map(({ id, title, plan, gaps }) => (
        <li key={id} data-gap={plan === null || undefined}>
          <b>
            {id} {title}
          </b>
          {plan === null ? (
            <ul>
              {gaps.map(({ what, reason }) => (
                <li key={what}>
                  Gap: {what}: {reason}.
                </li>
              ))}
            </ul>
          ) : (
            <p>
              This part was run separately. <Link to="/studies">Run all parts from the gallery</Link> to get
              one page for the whole study.
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
