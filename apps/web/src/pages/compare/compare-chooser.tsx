import { Button } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useNavigate } from 'react-router';
import { useExperiments } from '../../api/queries.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import styles from './panels/compare.module.css';
import { ViewsMenu } from './views-menu.tsx';

type Row = { id: number; name: string; varied: string; runs: number; updatedAt: number };

const columns: readonly Column<Row>[] = [
  { id: 'name', head: 'Experiment', cell: (row) => row.name, sortValue: (row) => row.name },
  { id: 'id', head: 'Number', cell: (row) => `E-${row.id}`, sortValue: (row) => row.id, width: '96px' },
  { id: 'varied', head: 'Varied', cell: (row) => row.varied, hideOnPhone: true },
  {
    id: 'runs',
    head: 'Runs',
    numeric: true,
    cell: (row) => row.runs,
    sortValue: (row) => row.runs,
    width: '80px',
  },
  {
    id: 'updated',
    head: 'Updated',
    cell: (row) => formatDateTime(row.updatedAt),
    sortValue: (row) => row.updatedAt,
    hideOnPhone: true,
    width: '160px',
  },
];

/** The compare page before anything is chosen: one or more experiments with finished runs. */
export function CompareChooser(): ReactElement {
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useExperiments({ limit: 200 });
  const rows = (list.data?.items ?? [])
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
          subtitle="their treatments side by side, on any response"
          flush
          actions={
            <Button size="sm" disabled={selected.size === 0} onClick={() => open(selected)}>
              Compare {selected.size > 0 ? selected.size : ''}
            </Button>
          }
        >
          {list.error && (
            <ErrorState
              happened={list.error.problem.detail}
              lost="Nothing was lost."
              nextStep={list.error.problem.remedy}
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
                  sentence="No experiment has finished runs yet. Run the tour: it takes under 90 seconds."
                  action={<Button onClick={() => navigate('/')}>To the experiments</Button>}
                />
              }
            />
          )}
        </Panel>
      </div>
    </Page>
  );
}
