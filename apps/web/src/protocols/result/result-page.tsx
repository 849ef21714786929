import { Button, Switch } from '@mantine/core';
import { findProtocol } from '@mqttlab/shared/catalogue/protocols';
import { protocolOriginOf } from '@mqttlab/shared/catalogue/protocols/protocol';
import { IconPrinter } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { useComparison, useExperiment, useRun } from '../../api/queries.ts';
import { experimentCode } from '../../experiments/describe-experiment.ts';
import { parseId } from '../../live/parse-id.ts';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { ResultView } from './result-view.tsx';
import { studyFactsOf } from './study-facts.ts';

/** What a study published beside what one experiment measured. */
export function ResultPage(): ReactElement {
  const { id: protocolId = '', experimentId } = useParams();
  const number = parseId(experimentId);
  const [search, setSearch] = useSearchParams();
  const flagged = search.get('flagged') === '1';
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
    if (number === null) return new Error(`“${experimentId}” is no number of an experiment.`);
    if (!protocol) return new Error(`There is no study “${protocolId}”.`);
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
      actions={
        <>
          {flaggedRuns > 0 && (
            <Switch
              label={`Take in ${flaggedRuns} flagged ${flaggedRuns === 1 ? 'run' : 'runs'}`}
              size="sm"
              checked={flagged}
              onChange={(event) =>
                setSearch(event.currentTarget.checked ? { flagged: '1' } : {}, { replace: true })
              }
            />
          )}
          <Button
            variant="default"
            leftSection={<IconPrinter size={16} stroke={2} aria-hidden />}
            onClick={() => window.print()}
          >
            Print
          </Button>
        </>
      }
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
