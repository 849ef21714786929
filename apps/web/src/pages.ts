import type { ComponentType } from 'react';
import { type Asked, ask } from './api/client.ts';
import { parseId } from './api/no-such.ts';
import { askComparison } from './pages/compare/first-questions.ts';
import { listParams, readFilter } from './pages/experiments/list-filter.ts';

type PageCode = { Component: ComponentType };

type Names = Readonly<Record<string, string>>;

/**
 * A page of the application: its path relative to the start page, its documentation, its code and its first
 * requests.
 */
export type PageEntry = {
  path: string;
  /** The documentation page about the page, below /docs/. */
  help: string;
  load: () => Promise<PageCode>;
  /** Requests that start while the code of the first page loads. Optional. */
  ask?: (names: Names, search: URLSearchParams) => Asked[];
};

const experiments = async () => ({
  Component: (await import('./pages/experiments/experiments-page.tsx')).ExperimentsPage,
});

const askExperiments = (_names: Names, search: URLSearchParams): Asked[] => {
  return [ask('GET /experiments', { query: listParams(readFilter(search)) })];
};

const askExperiment = ({ id }: Names): Asked[] => {
  const number = parseId(id);
  return number === null ? [] : [ask('GET /experiments/{id}', { params: { id: number } })];
};

const askRun = ({ id, runId }: Names): Asked[] => {
  const number = parseId(runId);
  if (number === null) return [];
  return [ask('GET /runs/{id}', { params: { id: number } }), ...askExperiment({ id: id ?? '' })];
};

export const pages: readonly PageEntry[] = [
  { path: '', help: 'tutorial.html', load: experiments, ask: askExperiments },
  { path: 'experiments', help: 'tutorial.html', load: experiments, ask: askExperiments },
  {
    path: 'experiments/:id/edit/:step?',
    help: 'how-to/plan-files.html',
    load: async () => ({ Component: (await import('./pages/wizard/wizard-page.tsx')).WizardPage }),
    ask: askExperiment,
  },
  {
    path: 'experiments/:id',
    help: 'explanation/measuring.html',
    load: async () => ({ Component: (await import('./pages/experiment/live-page.tsx')).LivePage }),
    ask: askExperiment,
  },
  {
    path: 'experiments/:id/runs/:runId',
    help: 'reference/verdicts.html',
    load: async () => ({ Component: (await import('./pages/run/run-page.tsx')).RunPage }),
    ask: askRun,
  },
  {
    path: 'experiments/:id/report',
    help: 'explanation/inference.html',
    load: async () => ({ Component: (await import('./pages/report/report-page.tsx')).ReportPage }),
  },
  {
    path: 'compare',
    help: 'explanation/inference.html',
    load: async () => ({ Component: (await import('./pages/compare/compare-page.tsx')).ComparePage }),
    ask: (_names, search) => askComparison(search),
  },
  {
    path: 'v/:id',
    help: 'explanation/inference.html',
    load: async () => ({ Component: (await import('./pages/compare/views-menu.tsx')).ViewPage }),
  },
  {
    path: 'devices',
    help: 'how-to/raspberry-pis.html',
    load: async () => ({ Component: (await import('./pages/devices/devices-page.tsx')).DevicesPage }),
  },
  {
    path: 'devices/:id',
    help: 'how-to/raspberry-pis.html',
    load: async () => ({ Component: (await import('./pages/devices/device-page.tsx')).DevicePage }),
  },
  {
    path: 'studies',
    help: 'how-to/studies.html',
    load: async () => ({ Component: (await import('./pages/studies/studies-page.tsx')).StudiesPage }),
  },
  {
    path: 'studies/clients/:id?',
    help: 'how-to/studies.html',
    load: async () => ({ Component: (await import('./pages/studies/clients-page.tsx')).ClientsPage }),
  },
  {
    path: 'studies/runs/:runId',
    help: 'how-to/studies.html',
    load: async () => ({ Component: (await import('./pages/studies/study-run-page.tsx')).StudyRunPage }),
  },
  {
    path: 'studies/:id/results/:experimentId',
    help: 'how-to/studies.html',
    load: async () => ({ Component: (await import('./pages/studies/result-page.tsx')).ResultPage }),
  },
  {
    path: 'reference/metrics',
    help: 'reference/metrics.html',
    load: async () => ({ Component: (await import('./pages/reference/metrics-page.tsx')).MetricsPage }),
  },
  {
    path: 'changes',
    help: 'how-to/accounts.html',
    load: async () => ({ Component: (await import('./pages/changes/changes-page.tsx')).ChangesPage }),
  },
  {
    path: 'settings',
    help: 'reference/settings.html',
    load: async () => ({ Component: (await import('./pages/settings/settings-page.tsx')).SettingsPage }),
  },
];

/** Pages without the shell, public for all users who have the address. */
export const sharedPage: PageEntry = {
  path: 's/:token',
  help: 'how-to/sharing.html',
  load: async () => ({ Component: (await import('./pages/share/share-page.tsx')).SharePage }),
};
