import { Button } from '@mantine/core';
import type { Change } from '@mqttlab/shared/messages/access';
import { addressOf } from '@mqttlab/shared/messages/address';
import { IconFileTypeCsv } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link, useSearchParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { call, keyOf } from '../../api/client.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import styles from './changes-page.module.css';
import { fieldChanges, pageOf } from './describe-change.ts';

const pageRows = 100;

/**
 * Activity log with author, time, address, and the fields before and after each change. ?subject= selects one
 * object.
 */
export function ChangesPage(): ReactElement {
  const [params, setParams] = useSearchParams();
  const subject = params.get('subject') ?? undefined;
  const actor = params.get('actor') ?? undefined;
  const changes = useInfiniteQuery({
    queryKey: keyOf('GET /changes', { query: { subject, actor } }),
    queryFn: ({ pageParam }) =>
      call('GET /changes', { query: { subject, actor, before: pageParam, limit: pageRows } }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ items }) => (items.length < pageRows ? undefined : items.at(-1)?.id),
    staleTime: 0,
  });
  const rows = changes.data?.pages.flatMap(({ items }) => items);
  const only = [subject && `of ${subject}`, actor && `by ${actor}`].filter(Boolean).join(' ');
  return (
    <Page
      title="Changes"
      breadcrumbs={[{ label: 'Settings', to: '/settings' }]}
      actions={
        <Button
          component="a"
          variant="default"
          href={addressOf('GET /changes.csv')}
          leftSection={<IconFileTypeCsv size={16} stroke={2} aria-hidden />}
        >
          Save as CSV
        </Button>
      }
    >
      <Panel
        flush
        title="Activity log"
        subtitle={only === '' ? 'newest first' : only}
        actions={
          only !== '' && (
            <Button variant="default" size="xs" onClick={() => setParams({})}>
              Show all
            </Button>
          )
        }
      >
        {changes.error ? (
          <ApiErrorState error={changes.error} onRetry={() => void changes.refetch()} />
        ) : rows ? (
          <DataTable
            label="Changes"
            columns={columns}
            rows={rows}
            rowKey={({ id }) => String(id)}
            empty={<EmptyState sentence="No changes yet." />}
          />
        ) : (
          <TableSkeleton rows={8} />
        )}
        {changes.hasNextPage && (
          <div className={styles.more}>
            <Button
              variant="default"
              loading={changes.isFetchingNextPage}
              onClick={() => void changes.fetchNextPage()}
            >
              Older changes
            </Button>
          </div>
        )}
      </Panel>
    </Page>
  );
}

const columns: Column<Change>[] = [
  {
    id: 'who',
    head: 'Who, when',
    width: '22%',
    cell: ({ actor, at, address }) => (
      <span className={styles.two}>
        <Link className="link" to={`/changes?actor=${encodeURIComponent(actor)}`}>
          {actor}
        </Link>
        <span className="second">
          {formatDateTime(at)}, {address}
        </span>
      </span>
    ),
  },
  {
    id: 'what',
    head: 'What',
    width: '36%',
    cell: (change) => {
      const page = pageOf(change.subject);
      return (
        <span className={styles.two}>
          {change.words}
          <span className="second mono">
            {page ? (
              <Link className="link" to={page}>
                {change.subject}
              </Link>
            ) : (
              change.subject
            )}
          </span>
        </span>
      );
    },
  },
  {
    id: 'fields',
    head: 'Before, after',
    width: '42%',
    cell: (change) => (
      <span className={styles.fields}>
        {fieldChanges(change).map(({ name, words }) => (
          <span key={name}>
            <b>{name}</b> {words}
          </span>
        ))}
      </span>
    ),
  },
];
