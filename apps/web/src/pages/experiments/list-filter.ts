import { useSearchParams } from 'react-router';

const statusFilters = ['all', 'active', 'draft', 'finished'] as const;
export type StatusFilter = (typeof statusFilters)[number];

export interface ListFilter {
  search: string;
  status: StatusFilter;
  /** Empty: any. */
  tag: string;
  /** 0-based. */
  page: number;
}

/** Rows per page of the list. */
export const pageSize = 50;

/** Reads the filter from the address. Unknown values become defaults. */
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

/** Writes the filter to the address, without defaults. */
export function writeFilter({ search, status, tag, page }: ListFilter): URLSearchParams {
  const params = new URLSearchParams();
  if (search) params.set('search', search);
  if (status !== 'all') params.set('status', status);
  if (tag) params.set('tag', tag);
  if (page > 0) params.set('page', String(page + 1));
  return params;
}

/** Returns the query of `GET /experiments`. */
export function listParams({ search, status, tag, page }: ListFilter) {
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

/** Returns the filter, which is stored in the address, so that it survives a reload and can be shared. */
export function useListFilter() {
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  return {
    filter,
    params: listParams(filter),
    /** A change to any filter resets the page number. */
    change: (change: Partial<ListFilter>) =>
      setSearch((old) => writeFilter({ ...readFilter(old), page: 0, ...change }), { replace: true }),
  };
}
