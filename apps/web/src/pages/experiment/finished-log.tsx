import { Button } from '@mantine/core';
import { formatCount } from '@mqttlab/shared/format/number';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { LogPanel } from '../../live/log-panel.tsx';

/** The whole log of an experiment that is over, newest first. */
export function FinishedLog({ experimentId }: { experimentId: number }): ReactElement | null {
  const { entries, total, more, isLoading } = useExperimentLog(experimentId);
  if (entries.length === 0) return null;
  const shown = formatCount(entries.length);
  return (
    <LogPanel
      entries={entries}
      subtitle={more ? `newest ${shown} of ${formatCount(total)}` : `${shown} lines, newest first`}
      empty="No messages."
      fill
      foot={
        more && (
          <Button variant="subtle" size="xs" fullWidth loading={isLoading} onClick={more}>
            Older lines
          </Button>
        )
      }
    />
  );
}

/** Everything that was ever said of an experiment, page by page. */
function useExperimentLog(id: number) {
  const { data, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    queryKey: queryKeys.experimentLog(id),
    queryFn: ({ pageParam }) => api.experimentLog(id, pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: (last, pages) => {
      const shown = pages.reduce((sum, page) => sum + page.items.length, 0);
      return shown < last.total ? last.items.at(-1)?.id : undefined;
    },
  });
  const entries = useMemo(
    () => (data?.pages ?? []).flatMap((page) => page.items.map(({ id: key, line }) => ({ key, line }))),
    [data],
  );
  return {
    /** Newest first. */
    entries,
    total: data?.pages.at(-1)?.total ?? 0,
    /** Fetches the next older page; undefined once all is there. */
    more: hasNextPage ? () => void fetchNextPage() : undefined,
    isLoading: isFetching,
  };
}
