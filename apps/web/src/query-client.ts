import { QueryClient } from '@tanstack/react-query';
import type { Asked } from './api/asked.ts';

/** Data stays on screen while the server is gone; the live channel, not the window's focus, says when it is stale. */
export function makeQueryClient(asked: readonly Asked[] = []): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 600_000,
        refetchOnWindowFocus: false,
        retry: 1,
        networkMode: 'always',
      },
      mutations: { retry: 0, networkMode: 'always' },
    },
  });
  // A page that finds an answer here waits for it; one that finds a failure asks again itself.
  for (const { queryKey, answer } of asked) {
    void client.prefetchQuery({ queryKey, queryFn: () => answer, retry: false });
  }
  return client;
}
