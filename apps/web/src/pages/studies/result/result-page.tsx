import { findStudy } from '@mqttlab/shared/catalogue/studies';
import { makeOwnStudy } from '@mqttlab/shared/catalogue/studies/own-study';
import { type Study, type StudyOrigin, studyOriginOf } from '@mqttlab/shared/catalogue/studies/study';
import type { ReactElement } from 'react';
import { useParams } from 'react-router';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { useExperiment } from '../../../api/queries.ts';
import { parseId } from '../../../live/parse-id.ts';
import { Page } from '../../../ui/shell/page.tsx';
import { PageSkeleton } from '../../../ui/skeletons.tsx';
import { experimentCode } from '../../experiments/describe-experiment.ts';
import { FlaggedSwitch, ReadingActions, useFlagged } from '../../report/reading-actions.tsx';
import { useStudies } from '../study-calls.ts';
import { ResultView } from './result-view.tsx';
import { useStudyPart } from './use-study-part.ts';

/** What a study published beside what one experiment measured. */
export function ResultPage(): ReactElement {
  const { id: studyId = '', experimentId } = useParams();
  const number = parseId(experimentId);
  const experiment = useExperiment(number);
  const listed = useStudies(null);
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
    if (number === null) return new Error(`“${experimentId}” is no number of an experiment.`);
    if (experiment.error) return experiment.error;
    if (!study) return listed.data ? new Error(`There is no study “${studyId}”.`) : listed.error;
    if (experiment.data) return new Error(`${code} was not made from the study “${study.title}”.`);
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
  const { experiment, input, error, flaggedRuns, retry } = useStudyPart({
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
      phoneActions={<FlaggedSwitch flaggedRuns={flaggedRuns} label={`${flaggedRuns} flagged`} />}
    >
      {error && <ApiErrorState error={error} onRetry={retry} />}
      {!error && !(input && experiment) && <PageSkeleton />}
      {!error && input && experiment && <ResultView input={input} experiment={experiment} />}
    </Page>
  );
}
