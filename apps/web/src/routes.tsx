import { lazy } from 'react';
import type { RouteObject } from 'react-router';
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

const pageRoutes: RouteObject[] = [
  ...pages.map(({ path, load }) =>
    path === '' ? { index: true as const, lazy: load } : { path, lazy: load },
  ),
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
