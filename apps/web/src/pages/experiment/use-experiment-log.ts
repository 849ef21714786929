import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { LogEntry } from '../../live/log-panel.tsx';

export interface ExperimentLogPages {
  /** Newest first. */
  entries: readonly LogEntry[];
  total: number;
  /** Fetches the next older page; undefined once all is there. */
  more: (() => void) | undefined;
  isLoading: boolean;
}

/** Everything that was ever said of an experiment, page by page. */
export function useExperimentLog(id: number, enabled: boolean): ExperimentLogPages {
  const { data, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    queryKey: queryKeys.experimentLog(id),
    queryFn: ({ pageParam }) => api.experimentLog(id, pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: (last, pages) => {
      const shown = pages.reduce((sum, page) => sum + page.items.length, 0);
      return shown < last.total ? last.items.at(-1)?.id : undefined;
    },
    enabled,
  });
  const entries = useMemo(
    () => (data?.pages ?? []).flatMap((page) => page.items.map(({ id: key, line }) => ({ key, line }))),
    [data],
  );
  return {
    entries,
    total: data?.pages.at(-1)?.total ?? 0,
    more: hasNextPage ? () => void fetchNextPage() : undefined,
    isLoading: isFetching,
  };
}
