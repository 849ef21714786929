import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import type { Asked } from './api/client.ts';
import { useApi } from './api/use-api.ts';
import { LiveProvider } from './live/live-provider.tsx';
import { pages, sharedPage } from './pages.ts';
import { late } from './ui/late.tsx';
import { NotFoundPage, RouteError } from './ui/shell/error-pages.tsx';
import type { RouteHelp } from './ui/shell/help-link.tsx';
import { PlainShell, Shell } from './ui/shell/shell.tsx';
import { ShellStatusProvider } from './ui/shell/shell-status.tsx';
import { PageSkeleton } from './ui/skeletons.tsx';
import { cssVariablesResolver, theme } from './ui/theme.ts';

/**
 * Makes a query client that keeps data on screen while the server is unreachable. The live channel marks data
 * as stale, not the window's focus.
 */
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
  // A page waits for a request that is pending here, and repeats a failed request.
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

/** Renders the application into the document. */
export function mount(asked: readonly Asked[]): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('index.html has no #root');
  createRoot(root).render(
    <StrictMode>
      <App asked={asked} />
    </StrictMode>,
  );
}

const SearchDialog = late(async () => (await import('./pages/search/search-dialog.tsx')).SearchDialog);

const LoginPage = late(
  async () => (await import('./pages/session/login-page.tsx')).LoginPage,
  <PageSkeleton />,
);

/**
 * Shows the page, or the login if this server requires a login. The page itself handles an unreachable
 * server.
 */
function SessionGate({ children }: { children: ReactNode }): ReactElement {
  const session = useApi('GET /session');
  if (session.data?.loginRequired && session.data.role === null) {
    return <LoginPage session={session.data} />;
  }
  return <>{children}</>;
}

/**
 * Target of the link for the first administrator. A user who is logged in is redirected to the start page.
 */
function LoggedIn(): ReactElement {
  return useApi('GET /session').data ? <Navigate replace to="/" /> : <PageSkeleton />;
}

const pageRoutes: RouteObject[] = [
  { path: 'log-in', element: <LoggedIn /> },
  ...pages.map(({ path, help, load }) => ({
    ...(path === '' ? { index: true as const } : { path }),
    handle: { help } satisfies RouteHelp,
    lazy: load,
  })),
  { path: '*', element: <NotFoundPage /> },
];

/** The error boundary is inside the shell, so that the shell stays if a page fails. */
const routes: RouteObject[] = [
  {
    path: '/s',
    element: <PlainShell />,
    children: [
      {
        errorElement: <RouteError />,
        hydrateFallbackElement: <PageSkeleton />,
        children: [
          { path: ':token', handle: { help: sharedPage.help } satisfies RouteHelp, lazy: sharedPage.load },
        ],
      },
    ],
  },
  {
    path: '/',
    element: (
      <SessionGate>
        <Shell search={SearchDialog} />
      </SessionGate>
    ),
    children: [
      { errorElement: <RouteError />, hydrateFallbackElement: <PageSkeleton />, children: pageRoutes },
    ],
  },
];
