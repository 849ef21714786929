import { Button } from '@mantine/core';
import {
  type ClientMatrixCell,
  clientMatrixTag,
  countClientMatrix,
  readClientMatrix,
  reasonsOf,
} from '@mqttlab/shared/catalogue/client-matrix';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { addressOf } from '@mqttlab/shared/messages/address';
import { judgeClients } from '@mqttlab/studies/claims/judge-report';
import { IconFileTypeCsv, IconPlayerPlay } from '@tabler/icons-react';
import { type ReactElement, useMemo } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { parseId } from '../../api/no-such.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { answersExperiment, useCall } from '../../api/use-call.ts';
import { ClaimList } from '../../ui/claim-list.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { experimentCode, formatDateTime } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TrialBar } from '../../ui/trial-bar.tsx';
import { OfferButtons, useExperimentActions } from '../experiment/offers.tsx';
import styles from './clients-page.module.css';

const title = 'What each client can do';
const breadcrumbs = [{ label: 'Studies', to: '/studies' }];

/** The latest client matrix, or the matrix of one experiment. */
export function ClientsPage(): ReactElement {
  const wanted = parseId(useParams().id);
  const list = useApi('GET /experiments', { query: { tag: clientMatrixTag, limit: 20 } });
  const id = wanted ?? list.data?.items[0]?.id ?? null;
  const { data, error, refetch } = useApi('GET /experiments/{id}', id === null ? null : { params: { id } });
  const problem = error ?? list.error;
  if (data)
    return <Matrix experiment={data} earlier={list.data?.items.filter((one) => one.id !== id) ?? []} />;
  return (
    <Page title={title} breadcrumbs={breadcrumbs} actions={<TryButton />}>
      {problem ? (
        <ApiErrorState error={problem} onRetry={() => void refetch()} />
      ) : list.data && id === null ? (
        <EmptyState sentence="No client has been tested yet. The test tries each client with every TLS version, suite group, MQTT version and transport. It takes about ten minutes for some 200 short runs and can be cancelled at any time." />
      ) : (
        <PageSkeleton />
      )}
    </Page>
  );
}

function TryButton(): ReactElement {
  const navigate = useNavigate();
  const start = useCall('POST /client-matrix', answersExperiment);
  return (
    <Button
      leftSection={<IconPlayerPlay size={16} stroke={2} aria-hidden />}
      loading={start.isPending}
      onClick={() =>
        start.mutate(
          { body: {} },
          {
            onSuccess: ({ id }) => navigate(`/studies/clients/${id}`),
            onError: (problem) => showProblem('The test was not started', problem),
          },
        )
      }
    >
      Test all clients
    </Button>
  );
}

type MatrixProps = {
  experiment: ExperimentDetail;
  earlier: readonly { id: number; startedAt: number | null }[];
};

function Matrix({ experiment, earlier }: MatrixProps): ReactElement {
  const { id, plan, status, progress, startedAt } = experiment;
  const actions = useExperimentActions(id);
  const cells = useMemo(() => readClientMatrix(experiment), [experiment]);
  const byClient = Map.groupBy(cells, ({ client }) => client);
  const isOver = isFinished(status);
  return (
    <Page
      title={title}
      crumb={experimentCode(id)}
      breadcrumbs={breadcrumbs}
      actions={
        <>
          {isOver ? <TryButton /> : <OfferButtons experiment={experiment} actions={actions} />}
          <Button
            component="a"
            variant="default"
            href={addressOf('GET /experiments/{id}/clients.csv', { params: { id } })}
            leftSection={<IconFileTypeCsv size={16} stroke={2} aria-hidden />}
          >
            Save as CSV
          </Button>
        </>
      }
    >
      <Panel title={countClientMatrix(cells)} padded>
        {!isOver && <TrialBar total={progress.trials} done={progress.done} failed={progress.failed} isLive />}
        <p className={styles.said}>{plan?.question}</p>
        <p className={styles.said}>
          {startedAt === null ? 'To be tested' : `Tested ${formatDateTime(startedAt)}`} by{' '}
          <Link to={`/experiments/${id}`}>{experimentCode(id)}</Link>: a run of 0.2 s for each combination.
          {earlier.length > 0 && ' Earlier: '}
          {earlier.map((one, index) => (
            <span key={one.id}>
              {index > 0 && ', '}
              <Link to={`/studies/clients/${one.id}`}>
                {one.startedAt === null ? experimentCode(one.id) : formatDateTime(one.startedAt)}
              </Link>
            </span>
          ))}
        </p>
      </Panel>
      <Panel title="Client support in the study of cipher suites" padded>
        <ClaimList claims={judgeClients(cells)} />
      </Panel>
      {[...byClient].map(([client, own]) => (
        <ClientPanel key={client} client={client} cells={own} experimentId={id} />
      ))}
    </Page>
  );
}

const outcomeWords = {
  works: 'Works',
  fails: 'Fails',
  impossible: 'Impossible',
  'not tried': 'Not tested',
} as const;

type Row = { key: string; security: string; group: string; cells: readonly ClientMatrixCell[] };

const wayOf = ({ mqttVersion, transport }: ClientMatrixCell): string =>
  `MQTT ${mqttVersion}, ${transport === 'tcp' ? 'TCP' : 'WebSocket'}`;

type ClientPanelProps = { client: string; cells: readonly ClientMatrixCell[]; experimentId: number };

function ClientPanel({ client, cells, experimentId }: ClientPanelProps): ReactElement {
  const rows = [...Map.groupBy(cells, ({ security, suiteGroup }) => `${security} ${suiteGroup}`)].map(
    ([key, own]): Row => ({
      key,
      security: own[0]?.security ?? '',
      group: own[0]?.suiteGroup ?? '',
      cells: own,
    }),
  );
  const ways = [...new Set(cells.map(wayOf))].sort();
  const columns: Column<Row>[] = [
    { id: 'security', head: 'Security', cell: ({ security }) => (security === 'plain' ? 'Plain' : security) },
    { id: 'group', head: 'Suites', cell: ({ group }) => group },
    ...ways.map((way) => ({
      id: way,
      head: way,
      cell: (row: Row) => (
        <CellWord cell={row.cells.find((one) => wayOf(one) === way)} experimentId={experimentId} />
      ),
    })),
  ];
  const reasons = reasonsOf(cells);
  return (
    <Panel title={client === 'native' ? 'Native' : client} subtitle={countClientMatrix(cells)} flush>
      <DataTable
        label={`What ${client} can do`}
        density="dense"
        columns={columns}
        rows={rows}
        rowKey={keyOf}
      />
      {reasons.length > 0 && (
        <ul className={styles.reasons}>
          {reasons.map(({ reason, outcome, cells: own }) => (
            <li key={`${outcome} ${reason}`}>
              {outcomeWords[outcome]} ({own.length} of {cells.length}): {reason}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

const keyOf = ({ key }: Row): string => key;

type CellWordProps = { cell: ClientMatrixCell | undefined; experimentId: number };

function CellWord({ cell, experimentId }: CellWordProps): ReactElement {
  const { outcome, reason = null, runId = null } = cell ?? { outcome: 'not tried' as const };
  if (runId === null) {
    return (
      <span className={styles.left} title={reason ?? undefined}>
        {outcome}
      </span>
    );
  }
  return (
    <Link
      to={`/experiments/${experimentId}/runs/${runId}`}
      className={styles[outcome] ?? ''}
      title={reason ?? undefined}
    >
      {outcome}
    </Link>
  );
}
