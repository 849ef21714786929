import { lazy, type ReactElement } from 'react';
import { Navigate, type RouteObject, useLocation } from 'react-router';
import { SessionGate } from './pages/session/session-gate.tsx';
import { pages, sharedPage } from './pages.ts';
import { NotFoundPage } from './ui/shell/not-found-page.tsx';
import { PlainShell } from './ui/shell/plain-shell.tsx';
import { RouteError } from './ui/shell/route-error.tsx';
import { Shell } from './ui/shell/shell.tsx';
import { PageSkeleton } from './ui/skeletons.tsx';

const SearchDialog = lazy(async () => ({
  default: (await import('./pages/search/search-dialog.tsx')).SearchDialog,
}));

/** Studies were called protocols: their addresses still open. */
function EarlierAddress(): ReactElement {
  const { pathname, search, hash } = useLocation();
  return <Navigate replace to={{ pathname: pathname.replace(/^\/protocols/, '/studies'), search, hash }} />;
}

const pageRoutes: RouteObject[] = [
  ...pages.map(({ path, load }) =>
    path === '' ? { index: true as const, lazy: load } : { path, lazy: load },
  ),
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
        children: [{ path: ':token', lazy: sharedPage.load }],
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
