import { QueryClient } from '@tanstack/react-query';

/** Data stays on screen while the server is gone; the live channel, not the window's focus, says when it is stale. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
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
}
