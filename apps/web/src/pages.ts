import type { ComponentType } from 'react';
import type { Asked } from './api/asked.ts';
import { api } from './api/client.ts';
import { queryKeys } from './api/query-keys.ts';
import { askComparison } from './compare/first-questions.ts';
import { listParams, readFilter } from './experiments/list-filter.ts';
import { parseId } from './live/parse-id.ts';

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
  Component: (await import('./experiments/experiments-page.tsx')).ExperimentsPage,
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

const developmentPages: PageEntry[] = import.meta.env.DEV
  ? [{ path: 'kit', load: async () => ({ Component: (await import('./kit/kit-page.tsx')).KitPage }) }]
  : [];

export const pages: readonly PageEntry[] = [
  { path: '', load: experiments, ask: askExperiments },
  { path: 'experiments', load: experiments, ask: askExperiments },
  {
    path: 'experiments/:id/edit/:step?',
    load: async () => ({ Component: (await import('./wizard/wizard-page.tsx')).WizardPage }),
    ask: askExperiment,
  },
  {
    path: 'experiments/:id',
    load: async () => ({ Component: (await import('./live/live-page.tsx')).LivePage }),
    ask: askExperiment,
  },
  {
    path: 'experiments/:id/runs/:runId',
    load: async () => ({ Component: (await import('./runs/run-page.tsx')).RunPage }),
    ask: askRun,
  },
  {
    path: 'experiments/:id/report',
    load: async () => ({ Component: (await import('./report/report-page.tsx')).ReportPage }),
  },
  {
    path: 'compare',
    load: async () => ({ Component: (await import('./compare/compare-page.tsx')).ComparePage }),
    ask: (_names, search) => askComparison(search),
  },
  {
    path: 'v/:id',
    load: async () => ({ Component: (await import('./compare/view-page.tsx')).ViewPage }),
  },
  {
    path: 'devices',
    load: async () => ({ Component: (await import('./devices/devices-page.tsx')).DevicesPage }),
  },
  {
    path: 'devices/:id',
    load: async () => ({ Component: (await import('./devices/device-page.tsx')).DevicePage }),
  },
  {
    path: 'protocols',
    load: async () => ({ Component: (await import('./protocols/protocols-page.tsx')).ProtocolsPage }),
  },
  {
    path: 'protocols/runs/:runId',
    load: async () => ({
      Component: (await import('./protocols/runs/protocol-run-page.tsx')).ProtocolRunPage,
    }),
  },
  {
    path: 'protocols/:id/results/:experimentId',
    load: async () => ({ Component: (await import('./protocols/result/result-page.tsx')).ResultPage }),
  },
  {
    path: 'reference/metrics',
    load: async () => ({ Component: (await import('./reference/metrics-page.tsx')).MetricsPage }),
  },
  {
    path: 'settings',
    load: async () => ({ Component: (await import('./settings/settings-page.tsx')).SettingsPage }),
  },
  ...developmentPages,
];

/** What is shown without the shell, to anybody who has the address. */
export const sharedPage: PageEntry = {
  path: 's/:token',
  load: async () => ({ Component: (await import('./share/share-page.tsx')).SharePage }),
};
