import { lazy } from 'react';
import type { RouteObject } from 'react-router';
import { SessionGate } from './session/session-gate.tsx';
import { NotFoundPage } from './ui/shell/not-found-page.tsx';
import { PlainShell } from './ui/shell/plain-shell.tsx';
import { RouteError } from './ui/shell/route-error.tsx';
import { Shell } from './ui/shell/shell.tsx';
import { PageSkeleton } from './ui/skeletons.tsx';

const experiments = async () => ({
  Component: (await import('./experiments/experiments-page.tsx')).ExperimentsPage,
});

const SearchDialog = lazy(async () => ({
  default: (await import('./search/search-dialog.tsx')).SearchDialog,
}));

const developmentRoutes: RouteObject[] = import.meta.env.DEV
  ? [{ path: 'kit', lazy: async () => ({ Component: (await import('./kit/kit-page.tsx')).KitPage }) }]
  : [];

const pages: RouteObject[] = [
  { index: true, lazy: experiments },
  { path: 'experiments', lazy: experiments },
  {
    path: 'experiments/:id/edit/:step?',
    lazy: async () => ({ Component: (await import('./wizard/wizard-page.tsx')).WizardPage }),
  },
  {
    path: 'experiments/:id',
    lazy: async () => ({ Component: (await import('./live/live-page.tsx')).LivePage }),
  },
  {
    path: 'experiments/:id/runs/:runId',
    lazy: async () => ({ Component: (await import('./runs/run-page.tsx')).RunPage }),
  },
  {
    path: 'experiments/:id/report',
    lazy: async () => ({ Component: (await import('./report/report-page.tsx')).ReportPage }),
  },
  {
    path: 'compare',
    lazy: async () => ({ Component: (await import('./compare/compare-page.tsx')).ComparePage }),
  },
  {
    path: 'v/:id',
    lazy: async () => ({ Component: (await import('./compare/view-page.tsx')).ViewPage }),
  },
  {
    path: 'devices',
    lazy: async () => ({ Component: (await import('./devices/devices-page.tsx')).DevicesPage }),
  },
  {
    path: 'devices/:id',
    lazy: async () => ({ Component: (await import('./devices/device-page.tsx')).DevicePage }),
  },
  {
    path: 'protocols',
    lazy: async () => ({ Component: (await import('./protocols/protocols-page.tsx')).ProtocolsPage }),
  },
  {
    path: 'protocols/runs/:runId',
    lazy: async () => ({
      Component: (await import('./protocols/runs/protocol-run-page.tsx')).ProtocolRunPage,
    }),
  },
  {
    path: 'protocols/:id/results/:experimentId',
    lazy: async () => ({ Component: (await import('./protocols/result/result-page.tsx')).ResultPage }),
  },
  {
    path: 'settings',
    lazy: async () => ({ Component: (await import('./settings/settings-page.tsx')).SettingsPage }),
  },
  ...developmentRoutes,
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
          {
            path: ':token',
            lazy: async () => ({ Component: (await import('./share/share-page.tsx')).SharePage }),
          },
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
    children: [{ errorElement: <RouteError />, hydrateFallbackElement: <PageSkeleton />, children: pages }],
  },
];
