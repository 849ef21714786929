import type { ComponentType } from 'react';
import { api } from './api/client.ts';
import { parseId } from './api/no-such.ts';
import type { Asked } from './api/query-keys.ts';
import { queryKeys } from './api/query-keys.ts';
import { askComparison } from './pages/compare/first-questions.ts';
import { listParams, readFilter } from './pages/experiments/list-filter.ts';

type PageCode = { Component: ComponentType };

type Names = Readonly<Record<string, string>>;

/** A page of the application: its address below the front page, its code, and what it asks the server first. */
export type PageEntry = {
  path: string;
  load: () => Promise<PageCode>;
  /** Only for the first page, whose code is still on its way; of no consequence where it is left out. */
  ask?: (names: Names, search: URLSearchParams) => Asked[];
};

const experiments = async () => ({
  Component: (await import('./pages/experiments/experiments-page.tsx')).ExperimentsPage,
});

const askExperiments = (_names: Names, search: URLSearchParams): Asked[] => {
  const params = listParams(readFilter(search));
  return [{ queryKey: queryKeys.experiments(params), answer: api.listExperiments(params) }];
};

const askExperiment = ({ id }: Names): Asked[] => {
  const number = parseId(id);
  return number === null ? [] : [{ queryKey: queryKeys.experiment(number), answer: api.experiment(number) }];
};

const askRun = ({ id, runId }: Names): Asked[] => {
  const number = parseId(runId);
  if (number === null) return [];
  return [{ queryKey: queryKeys.run(number), answer: api.run(number) }, ...askExperiment({ id: id ?? '' })];
};

export const pages: readonly PageEntry[] = [
  { path: '', load: experiments, ask: askExperiments },
  { path: 'experiments', load: experiments, ask: askExperiments },
  {
    path: 'experiments/:id/edit/:step?',
    load: async () => ({ Component: (await import('./pages/wizard/wizard-page.tsx')).WizardPage }),
    ask: askExperiment,
  },
  {
    path: 'experiments/:id',
    load: async () => ({ Component: (await import('./pages/experiment/live-page.tsx')).LivePage }),
    ask: askExperiment,
  },
  {
    path: 'experiments/:id/runs/:runId',
    load: async () => ({ Component: (await import('./pages/run/run-page.tsx')).RunPage }),
    ask: askRun,
  },
  {
    path: 'experiments/:id/report',
    load: async () => ({ Component: (await import('./pages/report/report-page.tsx')).ReportPage }),
  },
  {
    path: 'compare',
    load: async () => ({ Component: (await import('./pages/compare/compare-page.tsx')).ComparePage }),
    ask: (_names, search) => askComparison(search),
  },
  {
    path: 'v/:id',
    load: async () => ({ Component: (await import('./pages/compare/views-menu.tsx')).ViewPage }),
  },
  {
    path: 'devices',
    load: async () => ({ Component: (await import('./pages/devices/devices-page.tsx')).DevicesPage }),
  },
  {
    path: 'devices/:id',
    load: async () => ({ Component: (await import('./pages/devices/device-page.tsx')).DevicePage }),
  },
  {
    path: 'studies',
    load: async () => ({ Component: (await import('./pages/studies/studies-page.tsx')).StudiesPage }),
  },
  {
    path: 'studies/clients/:id?',
    load: async () => ({ Component: (await import('./pages/studies/clients-page.tsx')).ClientsPage }),
  },
  {
    path: 'studies/runs/:runId',
    load: async () => ({ Component: (await import('./pages/studies/study-run-page.tsx')).StudyRunPage }),
  },
  {
    path: 'studies/:id/results/:experimentId',
    load: async () => ({ Component: (await import('./pages/studies/result-page.tsx')).ResultPage }),
  },
  {
    path: 'reference/metrics',
    load: async () => ({ Component: (await import('./pages/reference/metrics-page.tsx')).MetricsPage }),
  },
  {
    path: 'changes',
    load: async () => ({ Component: (await import('./pages/changes/changes-page.tsx')).ChangesPage }),
  },
  {
    path: 'settings',
    load: async () => ({ Component: (await import('./pages/settings/settings-page.tsx')).SettingsPage }),
  },
];

/** What is shown without the shell, to anybody who has the address. */
export const sharedPage: PageEntry = {
  path: 's/:token',
  load: async () => ({ Component: (await import('./pages/share/share-page.tsx')).SharePage }),
};
