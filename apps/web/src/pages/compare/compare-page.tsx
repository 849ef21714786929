import { Button } from '@mantine/core';
import { IconShare3 } from '@tabler/icons-react';
import { type ReactElement, useCallback, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useComparedSeries, useComparedWindow, useComparison } from '../../api/queries.ts';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { ShareDialog } from '../share/share-dialog.tsx';
import { CompareChooser } from './compare-chooser.tsx';
import { type CompareState, parseCompareState, writeCompareState } from './compare-state.ts';
import { CompareView } from './compare-view.tsx';
import { comparisonQuestion, seriesQuestion } from './first-questions.ts';
import { ViewsMenu } from './views-menu.tsx';

/** The comparison whose whole state stands in the address. */
export function ComparePage(): ReactElement {
  const [search, setSearch] = useSearchParams();
  const state = parseCompareState(search);
  const onChange = useCallback(
    (change: Partial<CompareState>) => {
      setSearch((now) => writeCompareState({ ...parseCompareState(now), ...change }), { replace: true });
    },
    [setSearch],
  );
  if (state.experiments === '' && state.runs === '') return <CompareChooser />;
  return <ComparedPage state={state} onChange={onChange} />;
}

type ComparedPageProps = { state: CompareState; onChange(change: Partial<CompareState>): void };

function ComparedPage({ state, onChange }: ComparedPageProps): ReactElement {
  const [isSharing, setIsSharing] = useState(false);
  const comparison = useComparison(comparisonQuestion(state));
  const question = seriesQuestion(state);
  const series = useComparedSeries(question);
  const within = useComparedWindow(
    state.window && { ...question, from: state.window[0] * 1000, to: state.window[1] * 1000 },
  );
  const names = comparison.data?.experiments.map((experiment) => experiment.name) ?? [];
  const title = names.length === 1 ? (names[0] ?? 'Compare') : `Comparison of ${names.length} experiments`;
  return (
    <Page
      title={comparison.data ? title : 'Compare'}
      crumb={comparison.data?.experiments.map(({ id }) => `E-${id}`).join(', ') ?? 'Compare'}
      breadcrumbs={[{ label: 'Compare', to: '/compare' }]}
      actions={
        <>
          <ViewsMenu state={writeCompareState(state)} />
          <Button leftSection={<IconShare3 size={15} aria-hidden />} onClick={() => setIsSharing(true)}>
            Share
          </Button>
        </>
      }
      phoneActions={
        <>
          <ViewsMenu state={writeCompareState(state)} isSmall />
          <Button size="sm" variant="default" onClick={() => setIsSharing(true)}>
            Share
          </Button>
        </>
      }
    >
      {comparison.error && (
        <ErrorState
          happened={comparison.error.problem.detail}
          lost="Nothing was lost."
          nextStep={comparison.error.problem.remedy}
          action={<Button onClick={() => comparison.refetch()}>Try again</Button>}
        />
      )}
      {comparison.isPending && <PageSkeleton />}
      {comparison.data && (
        <CompareView
          comparison={comparison.data}
          series={series.data ?? []}
          within={state.window ? within.data : undefined}
          state={state}
          onChange={onChange}
        />
      )}
      <ShareDialog
        subject={{ kind: 'view', view: writeCompareState(state) }}
        name="this comparison"
        opened={isSharing}
        onClose={() => setIsSharing(false)}
      />
    </Page>
  );
}
