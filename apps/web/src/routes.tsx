import { lazy, type ReactElement, type ReactNode, Suspense } from 'react';
import { Navigate, type RouteObject, useLocation } from 'react-router';
import { useSession } from './api/queries.ts';
import { pages, sharedPage } from './pages.ts';
import { NotFoundPage, RouteError } from './ui/shell/error-pages.tsx';
import type { RouteHelp } from './ui/shell/help-link.tsx';
import { PlainShell, Shell } from './ui/shell/shell.tsx';
import { PageSkeleton } from './ui/skeletons.tsx';

const SearchDialog = lazy(async () => ({
  default: (await import('./pages/search/search-dialog.tsx')).SearchDialog,
}));

const LoginPage = lazy(async () => ({ default: (await import('./pages/session/login-page.tsx')).LoginPage }));

/** Shows the page, or the login where this server asks for one. A server that does not answer is the page's matter. */
function SessionGate({ children }: { children: ReactNode }): ReactElement {
  const session = useSession();
  if (session.data?.loginRequired && session.data.role === null) {
    return (
      <Suspense fallback={<PageSkeleton />}>
        <LoginPage needsFirst={session.data.needsFirst} />
      </Suspense>
    );
  }
  return <>{children}</>;
}

/** Where the link of the first administrator leads; whoever is logged in already has nothing to do there. */
function LoggedIn(): ReactElement {
  return useSession().data ? <Navigate replace to="/" /> : <PageSkeleton />;
}

/** Studies were called protocols: their addresses still open. */
function EarlierAddress(): ReactElement {
  const { pathname, search, hash } = useLocation();
  return <Navigate replace to={{ pathname: pathname.replace(/^\/protocols/, '/studies'), search, hash }} />;
}

const pageRoutes: RouteObject[] = [
  { path: 'log-in', element: <LoggedIn /> },
  ...pages.map(({ path, help, load }) => ({
    ...(path === '' ? { index: true as const } : { path }),
    handle: { help } satisfies RouteHelp,
    lazy: load,
  })),
  { path: 'protocols/*', element: <EarlierAddress /> },
  { path: '*', element: <NotFoundPage /> },
];

/** A failing page keeps its shell: the error boundary sits inside it. */
export const routes: RouteObject[] = [
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
