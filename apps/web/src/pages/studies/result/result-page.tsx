import { findProtocol } from '@mqttlab/shared/catalogue/studies';
import { makeOwnProtocol } from '@mqttlab/shared/catalogue/studies/own-study';
import {
  type Protocol,
  type ProtocolOrigin,
  protocolOriginOf,
} from '@mqttlab/shared/catalogue/studies/study';
import type { ReactElement } from 'react';
import { useParams } from 'react-router';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { useExperiment } from '../../../api/queries.ts';
import { parseId } from '../../../live/parse-id.ts';
import { Page } from '../../../ui/shell/page.tsx';
import { PageSkeleton } from '../../../ui/skeletons.tsx';
import { experimentCode } from '../../experiments/describe-experiment.ts';
import { FlaggedSwitch, ReadingActions, useFlagged } from '../../report/reading-actions.tsx';
import { useProtocols } from '../study-calls.ts';
import { ResultView } from './result-view.tsx';
import { useStudyPart } from './use-study-part.ts';

/** What a study published beside what one experiment measured. */
export function ResultPage(): ReactElement {
  const { id: protocolId = '', experimentId } = useParams();
  const number = parseId(experimentId);
  const experiment = useExperiment(number);
  const listed = useProtocols(null);
  const own = listed.data?.items.find(({ id }) => id === protocolId)?.own;
  const protocol = findProtocol(protocolId) ?? (own ? makeOwnProtocol(own) : undefined);
  const origin = protocolOriginOf(experiment.data?.tags ?? []);
  const code = number === null ? 'Experiment' : experimentCode(number);
  const isPart = protocol?.parts.some(({ id }) => id === origin?.partId) ?? false;
  if (number !== null && protocol && origin?.protocolId === protocolId && isPart) {
    return <PartPage protocol={protocol} origin={origin} number={number} />;
  }
  const problem = problemOf();

  function problemOf(): Error | null {
    if (number === null) return new Error(`“${experimentId}” is no number of an experiment.`);
    if (experiment.error) return experiment.error;
    if (!protocol) return listed.data ? new Error(`There is no study “${protocolId}”.`) : listed.error;
    if (experiment.data) return new Error(`${code} was not made from the study “${protocol.title}”.`);
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

type PartPageProps = { protocol: Protocol; origin: ProtocolOrigin; number: number };

function PartPage({ protocol, origin, number }: PartPageProps): ReactElement {
  const flagged = useFlagged();
  const { experiment, input, error, flaggedRuns, retry } = useStudyPart({
    ...{ protocol, origin, flagged },
    experimentId: number,
  });
  const part = protocol.parts.find(({ id }) => id === origin.partId);
  return (
    <Page
      title={`${protocol.title}: ${part?.title ?? ''}`}
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
