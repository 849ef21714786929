import { Button } from '@mantine/core';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { ExperimentList as ExperimentListData } from '@mqttlab/shared/messages/http';
import {
  IconChevronLeft,
  IconChevronRight,
  IconFlask,
  IconPlayerPlay,
  IconScale,
  IconSearchOff,
  IconX,
} from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { useNow } from '../../ui/format.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { ExperimentCards, ExperimentTable } from './experiment-table.tsx';
import styles from './experiments.module.css';
import { isFiltered, type ListFilter, pageSize } from './list-filter.ts';
import { useTour, useTourDismissed } from './tour-banner.tsx';
import type { ExperimentCommands } from './use-experiment-commands.ts';

type ExperimentListProps = {
  query: UseQueryResult<ExperimentListData, ApiError>;
  filter: ListFilter;
  onFilter: (change: Partial<ListFilter>) => void;
  commands: ExperimentCommands;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
};

/** The rows, or why there are none. */
export function ExperimentList(props: ExperimentListProps): ReactElement {
  const { query, filter, onFilter, commands, selected, onSelect } = props;
  const isPhone = useIsPhone();
  const nowMs = useNow();
  const [editedId, setEditedId] = useState<number | null>(null);
  const list = query.data;
  if (!list) {
    return query.error ? (
      <ApiErrorState error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <Panel fill>
        <TableSkeleton rows={8} density="two-line" />
      </Panel>
    );
  }
  if (list.items.length === 0) {
    return (
      <Panel fill>
        {isFiltered(filter) || filter.page > 0 ? (
          <NoMatch onClear={() => onFilter({ search: '', status: 'all', tag: '' })} />
        ) : (
          <NoExperiments />
        )}
      </Panel>
    );
  }
  const rows = {
    experiments: list.items,
    knownTags: list.tags,
    nowMs,
    commands,
    selected,
    onSelect,
    editedId,
    onEdit: setEditedId,
  };
  const foot = (
    <>
      {list.overBudget !== undefined && (
        <p className={styles.overBudget} role="status">
          {list.overBudget}
        </p>
      )}
      <ListFoot
        list={list}
        page={filter.page}
        onPage={(page) => onFilter({ page })}
        selected={selected}
        onClear={() => onSelect(new Set())}
      />
    </>
  );
  if (isPhone) {
    return (
      <>
        <ExperimentCards {...rows} />
        {foot}
      </>
    );
  }
  return (
    <Panel fill>
      <div className={styles.rows} data-stale={query.isPlaceholderData || undefined}>
        <ExperimentTable {...rows} />
      </div>
      {foot}
    </Panel>
  );
}

function NoMatch({ onClear }: { onClear: () => void }): ReactElement {
  return (
    <EmptyState
      icon={<IconSearchOff size={20} stroke={2} />}
      sentence="No experiment matches. Search looks at names, questions, tags and varied factors."
      action={
        <Button variant="default" onClick={onClear}>
          Show all experiments
        </Button>
      }
    />
  );
}

/** The tour is offered once: by the banner above, or here when the banner was closed. */
function NoExperiments(): ReactElement {
  const [isBannerClosed] = useTourDismissed();
  const tour = useTour();
  const icon = <IconFlask size={20} stroke={2} />;
  if (!isBannerClosed) {
    return (
      <EmptyState
        icon={icon}
        sentence="No experiments yet. Run the tour to see one from start to result, or create your own."
      />
    );
  }
  return (
    <EmptyState
      icon={icon}
      sentence="No experiments yet. Create your own, or see one from start to result in under 90 s."
      action={
        <ActionButton icon={IconPlayerPlay} loading={tour.isPending} onClick={tour.start}>
          Run the tour
        </ActionButton>
      }
    />
  );
}

type ListFootProps = {
  list: ExperimentListData;
  page: number;
  onPage: (page: number) => void;
  selected: ReadonlySet<string>;
  onClear: () => void;
};

/** How much there is, the pages, and what to do with the rows selected. */
function ListFoot({ list, page, onPage, selected, onClear }: ListFootProps): ReactElement {
  const { total, runs, dataBytes, items } = list;
  const first = page * pageSize + 1;
  const last = page * pageSize + items.length;
  return (
    <div className={styles.foot}>
      <span className="tabular">
        {total > items.length && `${formatCount(first)}–${formatCount(last)} of `}
        {formatCount(total)} {total === 1 ? 'experiment' : 'experiments'}
      </span>
      <span className={`tabular ${styles.wide}`}>
        {formatCount(runs)} {runs === 1 ? 'run' : 'runs'}, {formatBytes(dataBytes)}
      </span>
      <span className={styles.footSpace} />
      {selected.size === 0 ? (
        <span className={styles.wide}>Select two or more to compare</span>
      ) : (
        <Selection selected={selected} onClear={onClear} />
      )}
      {total > pageSize && (
        <span className={styles.pages}>
          <IconButton
            icon={IconChevronLeft}
            label="Previous page"
            disabled={page === 0}
            onClick={() => onPage(page - 1)}
          />
          <IconButton
            icon={IconChevronRight}
            label="Next page"
            disabled={last >= total}
            onClick={() => onPage(page + 1)}
          />
        </span>
      )}
    </div>
  );
}

type SelectionProps = Pick<ListFootProps, 'selected' | 'onClear'>;

export function Selection({ selected, onClear }: SelectionProps): ReactElement {
  const ids = [...selected].map(Number).sort((a, b) => a - b);
  return (
    <span className={styles.selection}>
      <span className="tabular" role="status">
        {formatCount(ids.length)} selected
      </span>
      <IconButton icon={IconX} label="Clear the selection" onClick={onClear} />
      <Button
        component={Link}
        to={`/compare?experiments=${ids.join(',')}`}
        variant="default"
        size="xs"
        leftSection={<IconScale size={14} stroke={2} aria-hidden />}
      >
        {ids.length === 1 ? 'Compare its treatments' : `Compare ${formatCount(ids.length)} experiments`}
      </Button>
    </span>
  );
}
