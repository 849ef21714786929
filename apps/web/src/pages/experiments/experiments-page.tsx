import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { ExperimentList as ExperimentListData } from '@mqttlab/shared/messages/http';
import {
  IconChevronLeft,
  IconChevronRight,
  IconFileImport,
  IconFlask,
  IconPlayerPlay,
  IconPlus,
  IconScale,
  IconSearch,
  IconSearchOff,
  IconX,
} from '@tabler/icons-react';
import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { useApi } from '../../api/use-api.ts';
import { answersExperiment, useCall } from '../../api/use-call.ts';
import { handedPlan } from '../../share/share-links.ts';
import { useNow } from '../../ui/format.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { PickMenu } from '../../ui/input/pick.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { late } from '../../ui/late.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { ExperimentCards, ExperimentTable } from './experiment-table.tsx';
import styles from './experiments.module.css';
import { isFiltered, type ListFilter, pageSize, type StatusFilter, useListFilter } from './list-filter.ts';
import { TourBanner, useTour, useTourDismissed } from './tour-banner.tsx';

const ImportPlanDialog = late(async () => (await import('./import-plan-dialog.tsx')).ImportPlanDialog);

import { type ExperimentCommands, useExperimentCommands } from './use-experiment-commands.ts';

const noRows: ReadonlySet<string> = new Set();

/** The list of experiments, where users search, open, clone, compare and create them. */
export function ExperimentsPage(): ReactElement {
  const isPhone = useIsPhone();
  const { filter, params, change } = useListFilter();
  const query = useApi('GET /experiments', { query: params }, { placeholderData: keepPreviousData });
  const commands = useExperimentCommands();
  const [selected, setSelected] = useState(noRows);
  const { search, hash } = useLocation();
  const [isImporting, setImporting] = useState(false);
  const [handed, setHanded] = useState('');
  const imported = useCall('POST /experiments/import', answersExperiment);
  const bundled = useCall('POST /experiments/import-bundle', answersExperiment);
  const navigate = useNavigate();

  // A plan from a share link is shown before a draft is created.
  useEffect(() => {
    const plan = handedPlan(hash);
    if (plan === null) return;
    setHanded(plan);
    setImporting(true);
    void navigate({ search }, { replace: true });
  }, [search, hash, navigate]);

  const create = (
    <ActionButton variant="filled" icon={IconPlus} loading={commands.isCreating} onClick={commands.create}>
      New experiment
    </ActionButton>
  );
  return (
    <Page
      title="Experiments"
      layout="fill"
      phoneActions={
        <IconButton icon={IconFileImport} label="Import plan" onClick={() => setImporting(true)} />
      }
      bottomBar={
        <div className={styles.bottom}>
          {selected.size > 0 ? <Selection selected={selected} onClear={() => setSelected(noRows)} /> : create}
        </div>
      }
    >
      <TourBanner hasRun={query.data?.items.some(({ tags }) => tags.includes('tour')) ?? false} />
      <div className={styles.filters}>
        <ListFilters filter={filter} list={query.data} onChange={change} />
        {!isPhone && (
          <>
            <span className={styles.space} />
            <ActionButton icon={IconFileImport} onClick={() => setImporting(true)}>
              Import plan
            </ActionButton>
            {create}
          </>
        )}
      </div>
      <ExperimentList
        query={query}
        filter={filter}
        onFilter={change}
        commands={commands}
        selected={selected}
        onSelect={setSelected}
      />
      {isImporting && (
        <ImportPlanDialog
          opened
          given={handed}
          onClose={() => {
            setImporting(false);
            setHanded('');
          }}
          hint="A plan becomes a new draft. A research bundle (zip) also contains runs. Its checksums and figures are verified. Its signature proves that it is unchanged, but not who made the measurements."
          onBundle={async ({ file, key, altered }) => {
            const { id } = await bundled.mutateAsync({ file, query: { key, altered } });
            await navigate(`/experiments/${id}`);
          }}
          onImport={async (text) => {
            const { id } = await imported.mutateAsync({ body: { text, start: false } });
            await navigate(`/experiments/${id}/edit/review`);
          }}
        />
      )}
    </Page>
  );
}

type ExperimentListProps = {
  query: UseQueryResult<ExperimentListData, ApiError>;
  filter: ListFilter;
  onFilter: (change: Partial<ListFilter>) => void;
  commands: ExperimentCommands;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
};

/** The rows, or the reason for an empty list. */
function ExperimentList(props: ExperimentListProps): ReactElement {
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
      sentence="No experiment matches. The search covers names, questions, tags and varied factors."
      action={
        <Button variant="default" onClick={onClear}>
          Show all experiments
        </Button>
      }
    />
  );
}

/** Offers the tour if the banner above has been closed. */
function NoExperiments(): ReactElement {
  const [isBannerClosed] = useTourDismissed();
  const tour = useTour();
  const icon = <IconFlask size={20} stroke={2} />;
  if (!isBannerClosed) {
    return (
      <EmptyState
        icon={icon}
        sentence="No experiments yet. Run the tour to see a complete experiment, or create your own."
      />
    );
  }
  return (
    <EmptyState
      icon={icon}
      sentence="No experiments yet. Create your own, or run the tour to see a complete one in under 90 s."
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

/** Footer of the list: totals, pages and actions for selected rows. */
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

function Selection({ selected, onClear }: SelectionProps): ReactElement {
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

type ListFiltersProps = {
  filter: ListFilter;
  /** undefined until the first response. */
  list: Pick<ExperimentListData, 'counts' | 'tags'> | undefined;
  onChange: (change: Partial<ListFilter>) => void;
};

function ListFilters({ filter, list, onChange }: ListFiltersProps): ReactElement {
  const segments: { value: StatusFilter; label: string }[] = [
    { value: 'all', label: 'All' },
    { value: 'active', label: 'Active' },
    { value: 'draft', label: 'Drafts' },
    { value: 'finished', label: 'Finished' },
  ];
  const isPhone = useIsPhone();
  const tags = [...new Set([...(list?.tags ?? []), ...(filter.tag ? [filter.tag] : [])])];
  return (
    <>
      <SearchField value={filter.search} onChange={(search) => onChange({ search })} />
      <div className={styles.status}>
        <SegmentedSwitch
          label="Status"
          fullWidth={isPhone}
          value={filter.status}
          options={segments.map((segment) => ({
            ...segment,
            ...(list ? { count: list.counts[segment.value] } : {}),
          }))}
          onChange={(status) => onChange({ status })}
        />
      </div>
      {tags.length > 0 && (
        <PickMenu
          label="Tag"
          value={filter.tag}
          options={[{ value: '', label: 'any' }, ...tags.map((tag) => ({ value: tag, label: tag }))]}
          onChange={(tag) => onChange({ tag })}
        />
      )}
    </>
  );
}

type SearchFieldProps = { value: string; onChange: (value: string) => void };

/**
 * Search field that filters after a short pause. "/" focuses it from anywhere on the page, and Escape clears
 * it.
 */
function SearchField({ value, onChange }: SearchFieldProps): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const send = useDebouncedCallback(onChange, 200);
  useHotkeys([['/', () => input.current?.focus()]]);
  useEffect(() => {
    if (document.activeElement !== input.current) setText(value);
  }, [value]);
  const change = (next: string) => {
    setText(next);
    send(next.trim());
  };
  return (
    <TextInput
      ref={input}
      className={styles.search}
      type="search"
      aria-label="Search experiments"
      placeholder="Name, factor, tag …"
      maxLength={200}
      value={text}
      leftSection={<IconSearch size={16} stroke={2} aria-hidden />}
      rightSection={text === '' ? <kbd aria-hidden>/</kbd> : undefined}
      rightSectionPointerEvents="none"
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') change('');
      }}
    />
  );
}
