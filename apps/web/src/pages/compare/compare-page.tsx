import { Button } from '@mantine/core';
import { isLargelyFlagged } from '@mqttlab/shared/analysis/flagged-runs';
import { usualResponse } from '@mqttlab/shared/analysis/run-values';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { IconReportAnalytics, IconShare3 } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, useCallback, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { call } from '../../api/client.ts';
import { problemOf } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { ExportMenu } from '../../share/export-menu.tsx';
import { ShareDialog } from '../../share/share-dialog.tsx';
import { figureColumn, wordColumn } from '../../ui/columns.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton, TableSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import styles from './compare.module.css';
import { type CompareState, parseCompareState, writeCompareState } from './compare-state.ts';
import { CompareView } from './compare-view.tsx';
import { comparisonQuestion, seriesQuestion } from './first-questions.ts';
import { ViewsMenu } from './views-menu.tsx';

/** A comparison whose state is in the address. */
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
  const kept = { placeholderData: keepPreviousData };
  const comparison = useApi('GET /compare', { query: comparisonQuestion(state) }, kept);
  const query = seriesQuestion(state);
  const series = useApi('GET /compare/series', { query }, kept);
  const [fromSeconds, toSeconds] = state.window ?? [];
  const within = useApi(
    'GET /compare/window',
    fromSeconds === undefined || toSeconds === undefined
      ? null
      : { query: { ...query, from: fromSeconds * 1000, to: toSeconds * 1000 } },
    kept,
  );
  const single = comparison.data?.experiments.length === 1 ? comparison.data.experiments[0]?.id : undefined;
  // Only complete experiments can run again, and only if all their flagged runs are shown here.
  const againIds = state.runs === '' ? experimentsWithFlagged(comparison.data) : [];
  const response = findMetric(state.metric || (comparison.data ? usualResponse(comparison.data) : ''));
  const isNoticed =
    againIds.length > 0 && response && isLargelyFlagged(comparison.data?.treatments ?? [], response);
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
          {single !== undefined && (
            <>
              <Button
                variant="default"
                leftSection={<IconReportAnalytics size={15} aria-hidden />}
                component={Link}
                to={`/experiments/${single}/report`}
              >
                Report
              </Button>
              <ExportMenu id={single} />
            </>
          )}
          <Button
            variant={isNoticed ? 'default' : 'filled'}
            leftSection={<IconShare3 size={15} aria-hidden />}
            disabled={!comparison.data}
            onClick={() => setIsSharing(true)}
          >
            Share
          </Button>
        </>
      }
      phoneActions={
        <>
          <ViewsMenu state={writeCompareState(state)} isSmall />
          <Button size="sm" variant="default" disabled={!comparison.data} onClick={() => setIsSharing(true)}>
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
          series={series.data?.items ?? []}
          within={state.window ? within.data?.items : undefined}
          againIds={againIds}
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

function experimentsWithFlagged(comparison: Comparison | undefined): number[] {
  const flagged = (comparison?.treatments ?? []).filter(({ runs }) => runs.some((run) => run.flagged));
  return [...new Set(flagged.map(({ experimentId }) => experimentId))];
}

type Row = { id: number; name: string; varied: string; runs: number; updatedAt: number };

const columns: readonly Column<Row>[] = [
  { ...wordColumn('Experiment', (row) => row.name), sortValue: (row) => row.name },
  { ...wordColumn('Number', (row) => `E-${row.id}`), sortValue: (row) => row.id, width: '96px' },
  wordColumn('Varied', (row) => row.varied, { hideOnPhone: true }),
  { ...figureColumn('Runs', (row) => row.runs, { isSortable: true, format: String }), width: '80px' },
  {
    ...wordColumn('Updated', (row) => formatDateTime(row.updatedAt), { hideOnPhone: true }),
    sortValue: (row) => row.updatedAt,
    width: '160px',
  },
];

/** Experiments per request. */
const pageRows = 200;

/** The compare page before a selection: lists experiments with finished runs. */
function CompareChooser(): ReactElement {
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useInfiniteQuery({
    // Live events do not update this list, because it is loaded page by page.
    queryKey: ['every page of GET /experiments'],
    queryFn: ({ pageParam }) => call('GET /experiments', { query: { limit: pageRows, before: pageParam } }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  });
  const rows = (list.data?.pages.flatMap(({ items }) => items) ?? [])
    .filter((experiment) => experiment.progress.done > 0)
    .map(({ id, name, varied, progress, updatedAt }) => ({
      id,
      name,
      varied: varied.join(' × '),
      runs: progress.done,
      updatedAt,
    }));
  const open = (ids: Iterable<string>) => navigate(`/compare?experiments=${[...ids].join(',')}`);
  return (
    <Page title="Compare" actions={<ViewsMenu state={null} />}>
      <div className={styles.chooser}>
        <Panel
          title="Choose experiments to compare"
          subtitle="treatments side by side, for any response"
          flush
          actions={
            <Button size="sm" disabled={selected.size === 0} onClick={() => open(selected)}>
              Compare {selected.size > 0 ? selected.size : ''}
            </Button>
          }
        >
          {list.error && (
            <ErrorState
              happened={problemOf(list.error).detail}
              lost="Nothing was lost."
              nextStep={problemOf(list.error).remedy}
            />
          )}
          {list.isPending ? (
            <TableSkeleton rows={6} />
          ) : (
            <DataTable
              label="Experiments with finished runs"
              columns={columns}
              rows={rows}
              rowKey={(row) => String(row.id)}
              selection={{ selected, onChange: setSelected, rowName: (row) => row.name }}
              onOpenRow={(row) => open([String(row.id)])}
              empty={
                <EmptyState
                  sentence="No experiment has finished runs yet. Run the tour, which takes under 90 seconds."
                  action={<Button onClick={() => navigate('/')}>Go to the experiments</Button>}
                />
              }
            />
          )}
          {list.hasNextPage && (
            <div className={styles.form}>
              <Button
                variant="default"
                loading={list.isFetchingNextPage}
                onClick={() => void list.fetchNextPage()}
              >
                Show older experiments
              </Button>
            </div>
          )}
        </Panel>
      </div>
    </Page>
  );
}
