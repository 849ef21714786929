import { Button } from '@mantine/core';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { ExperimentList as ExperimentListData } from '@mqttlab/shared/messages/http';
import { IconFlask, IconPlayerPlay, IconSearchOff } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { TableSkeleton } from '../../../ui/skeletons.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useIsPhone } from '../../../ui/theme.ts';
import type { ExperimentCommands } from '../use-experiment-commands.ts';
import { useNow } from '../use-now.ts';
import { useTour, useTourDismissed } from '../use-tour.ts';
import { ExperimentCards } from './experiment-cards.tsx';
import styles from './experiment-list.module.css';
import { ExperimentTable } from './experiment-table.tsx';
import { isFiltered, type ListFilter } from './list-filter.ts';
import { ListFoot } from './list-foot.tsx';

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
    <ListFoot
      list={list}
      page={filter.page}
      onPage={(page) => onFilter({ page })}
      selected={selected}
      onClear={() => onSelect(new Set())}
    />
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
        sentence="No experiments yet. Run the tour first: it shows one from start to result. Or begin your own."
      />
    );
  }
  return (
    <EmptyState
      icon={icon}
      sentence="No experiments yet. Begin your own, or see one from start to result in under 90 s."
      action={
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} stroke={2} aria-hidden />}
          loading={tour.isPending}
          onClick={tour.start}
        >
          Run the tour
        </Button>
      }
    />
  );
}
