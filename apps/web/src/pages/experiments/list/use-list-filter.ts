import { useSearchParams } from 'react-router';
import type { ListParams } from '../../../api/query-keys.ts';
import { type ListFilter, listParams, readFilter, writeFilter } from './list-filter.ts';

export interface ListFilterControl {
  filter: ListFilter;
  params: ListParams;
  /** Anything but the page itself goes back to the first page. */
  change: (change: Partial<ListFilter>) => void;
}

/** The filter of the list lives in the address, so that it survives reload and can be sent to a colleague. */
export function useListFilter(): ListFilterControl {
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  return {
    filter,
    params: listParams(filter),
    change: (change) =>
      setSearch((old) => writeFilter({ ...readFilter(old), page: 0, ...change }), { replace: true }),
  };
}
