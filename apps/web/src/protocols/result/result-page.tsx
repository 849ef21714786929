import { findProtocol } from '@mqttlab/shared/catalogue/protocols';
import { protocolOriginOf } from '@mqttlab/shared/catalogue/protocols/protocol';
import type { ReactElement } from 'react';
import { useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { noSuch } from '../../api/no-such.ts';
import { useComparison, useExperiment, useRun } from '../../api/queries.ts';
import { experimentCode } from '../../experiments/describe-experiment.ts';
import { parseId } from '../../live/parse-id.ts';
import { ReadingActions, useFlagged } from '../../report/reading-actions.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { ResultView } from './result-view.tsx';
import { studyFactsOf } from './study-facts.ts';

/** What a study published beside what one experiment measured. */
export function ResultPage(): ReactElement {
  const { id: protocolId = '', experimentId } = useParams();
  const number = parseId(experimentId);
  const flagged = useFlagged();
  const experiment = useExperiment(number);
  const comparison = useComparison(number === null ? {} : { experiments: String(number) });
  const firstRun = experiment.data?.runs.find(({ status }) => status === 'done')?.id ?? null;
  const run = useRun(firstRun).data;
  const protocol = findProtocol(protocolId);
  const origin = protocolOriginOf(experiment.data?.tags ?? []);
  const part = protocol?.parts.find(({ id }) => id === origin?.partId);
  const code = number === null ? 'Experiment' : experimentCode(number);
  const problem = problemOf();
  const flaggedRuns = comparison.data?.flaggedRuns ?? 0;
  const isReady = experiment.data && comparison.data && (firstRun === null || run);

  function problemOf(): Error | null {
    if (number === null) return noSuch('experiment', experimentId);
    if (!protocol) return noSuch('study', protocolId);
    if (experiment.data && (origin?.protocolId !== protocolId || !part)) {
      return new Error(`${code} was not made from the study “${protocol.title}”.`);
    }
    return experiment.error ?? comparison.error;
  }

  return (
    <Page
      title={protocol && part ? `${protocol.title}: ${part.title}` : 'Study'}
      crumb="Study"
      breadcrumbs={[
        { label: 'Experiments', to: '/experiments' },
        ...(number === null ? [] : [{ label: code, to: `/experiments/${number}` }]),
      ]}
      actions={<ReadingActions flaggedRuns={flaggedRuns} />}
    >
      {problem && <ApiErrorState error={problem} onRetry={() => void experiment.refetch()} />}
      {!problem && !isReady && <PageSkeleton />}
      {!problem && isReady && protocol && origin && (
        <ResultView
          protocol={protocol}
          origin={origin}
          treatments={comparison.data.treatments}
          flagged={flagged}
          facts={studyFactsOf(run)}
          experiment={experiment.data}
        />
      )}
    </Page>
  );
}
