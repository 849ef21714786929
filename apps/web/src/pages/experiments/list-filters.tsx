import { TextInput } from '@mantine/core';
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks';
import type { ExperimentList } from '@mqttlab/shared/messages/http';
import { IconSearch } from '@tabler/icons-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { ListParams } from '../../api/query-keys.ts';
import { PickMenu } from '../../ui/input/pick.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import styles from './experiments.module.css';

type ListFiltersProps = {
  filter: ListFilter;
  /** undefined until the first answer. */
  list: Pick<ExperimentList, 'counts' | 'tags'> | undefined;
  onChange: (change: Partial<ListFilter>) => void;
};

export function ListFilters({ filter, list, onChange }: ListFiltersProps): ReactElement {
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

/** Typing filters after a short pause; "/" comes here from anywhere on the page, Escape empties it. */
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

const statusFilters = ['all', 'active', 'draft', 'finished'] as const;
type StatusFilter = (typeof statusFilters)[number];

export interface ListFilter {
  search: string;
  status: StatusFilter;
  /** Empty: any. */
  tag: string;
  /** 0-based. */
  page: number;
}

/** Rows of one page of the list. */
export const pageSize = 50;

/** Address to filter; whatever it does not know becomes the default. */
export function readFilter(params: URLSearchParams): ListFilter {
  const status = statusFilters.find((known) => known === params.get('status'));
  const page = Number(params.get('page') ?? '1') - 1;
  return {
    search: (params.get('search') ?? '').slice(0, 200),
    status: status ?? 'all',
    tag: (params.get('tag') ?? '').slice(0, 40),
    page: Number.isInteger(page) && page > 0 && page < 20_000 ? page : 0,
  };
}

/** Filter to address; defaults are left out. */
export function writeFilter({ search, status, tag, page }: ListFilter): URLSearchParams {
  const params = new URLSearchParams();
  if (search) params.set('search', search);
  if (status !== 'all') params.set('status', status);
  if (tag) params.set('tag', tag);
  if (page > 0) params.set('page', String(page + 1));
  return params;
}

export function listParams({ search, status, tag, page }: ListFilter): ListParams {
  return {
    search: search || undefined,
    status: status === 'all' ? undefined : status,
    tag: tag || undefined,
    offset: page === 0 ? undefined : page * pageSize,
    limit: pageSize,
  };
}

export function isFiltered({ search, status, tag }: ListFilter): boolean {
  return search !== '' || status !== 'all' || tag !== '';
}

/** The filter of the list lives in the address, so that it survives reload and can be sent to a colleague. */
export function useListFilter() {
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  return {
    filter,
    params: listParams(filter),
    /** Anything but the page itself goes back to the first page. */
    change: (change: Partial<ListFilter>) =>
      setSearch((old) => writeFilter({ ...readFilter(old), page: 0, ...change }), { replace: true }),
  };
}
