import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import type { Asked } from './api/query-keys.ts';
import { LiveProvider } from './live/live-provider.tsx';
import { routes } from './routes.tsx';
import { ShellStatusProvider } from './ui/shell/shell-status.tsx';
import { cssVariablesResolver, theme } from './ui/theme.ts';

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

const colorSchemeManager = localStorageColorSchemeManager({ key: 'mqttlab-colour-scheme' });

function App({ asked }: { asked: readonly Asked[] }): ReactElement {
  const [queryClient] = useState(() => makeQueryClient(asked));
  const [router] = useState(() => createBrowserRouter(routes));
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <ShellStatusProvider>
          <LiveProvider>
            <RouterProvider router={router} />
          </LiveProvider>
        </ShellStatusProvider>
      </QueryClientProvider>
      <Notifications position="bottom-center" limit={3} containerWidth={420} />
    </MantineProvider>
  );
}

/** Puts the application into the document. */
export function mount(asked: readonly Asked[]): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('index.html has no #root');
  createRoot(root).render(
    <StrictMode>
      <App asked={asked} />
    </StrictMode>,
  );
}
