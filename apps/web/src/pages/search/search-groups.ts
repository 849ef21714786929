import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ExperimentDetail, ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { runCode } from '@mqttlab/shared/domain/runs/run';
import type { Study } from '@mqttlab/shared/planning/study';
import { experimentPath } from '../../ui/format.ts';
import { findOptions, type SearchGroup } from '../../ui/input/pick.tsx';
import { documentationFolder } from '../../ui/shell/help-link.tsx';
import { lowerDestinations, mainDestinations } from '../../ui/shell/navigation.tsx';
import { metricAddress } from '../reference/metric-field.tsx';
import { documentationPages } from './documentation-pages.ts';

/** Actions available everywhere; the dialog executes them. */
const actions = [
  { value: 'new', label: 'New experiment', words: 'create start' },
  { value: 'tour', label: 'Run the tour', words: 'start demo' },
  { value: 'theme', label: 'Switch between light and dark colours', words: 'theme mode' },
] as const;
export type SearchAction = (typeof actions)[number]['value'] | 'pause' | 'resume';

const documentationOptions = documentationPages.map(({ path, title, headings }) => ({
  value: `${documentationFolder}${path}`,
  label: title,
  words: `docs help ${path} ${headings.join(' ')}`,
}));

type Searched = {
  /** The experiment that can be paused or resumed now. */
  running: { code: string; state: 'running' | 'paused' } | null | undefined;
  /** Experiments that the server found by name, question, tags and factors. */
  experiments: readonly Pick<ExperimentSummary, 'id' | 'name' | 'status'>[];
  /** The experiment and the run whose numbers were entered. */
  numbered:
    | (Pick<ExperimentSummary, 'id' | 'name' | 'status'> & Partial<Pick<ExperimentDetail, 'runs' | 'plan'>>)
    | undefined;
  runNumber: number | null;
  studies: readonly Pick<Study, 'id' | 'title'>[];
};

/** Pages that are not in the navigation. */
const references = [{ to: '/reference/metrics', label: 'Metrics: definitions, sources and known bias' }];

const metricOptions = metrics.map(({ id, label, unit }) => ({
  value: metricAddress(id),
  label,
  note: unit,
  words: id,
}));

/** Returns the options that match the search, by group. The value of an option is its address, or an action. */
export function searchGroups(
  search: string,
  { experiments, numbered, runNumber, studies, running }: Searched,
): SearchGroup[] {
  const pages = [...mainDestinations, ...lowerDestinations, ...references].map(({ to, label }) => ({
    value: to,
    label,
  }));
  const pauses = running && {
    value: running.state === 'paused' ? 'resume' : 'pause',
    label: `${running.state === 'paused' ? 'Resume' : 'Pause'} ${running.code}`,
  };
  const here = [
    { label: 'Actions', options: pauses ? [...actions, pauses] : actions },
    { label: 'Pages', options: pages },
    ...(search.trim() === '' ? [] : [{ label: 'Metrics', options: metricOptions }]),
    {
      label: 'Studies',
      options: studies.map(({ id, title }) => ({ value: `/studies#${id}`, label: title })),
    },
    ...(search.trim() === '' ? [] : [{ label: 'Documentation', options: documentationOptions }]),
  ];
  const others = experiments.filter(({ id }) => id !== numbered?.id);
  const runs = numbered?.runs?.filter(({ trialNumber }) => trialNumber === runNumber) ?? [];
  const found = [
    {
      label: 'Runs',
      options: runs.map((run) => ({
        value: `/experiments/${run.experimentId}/runs/${run.id}`,
        label: [
          runCode(run),
          ...(numbered?.plan?.treatments.filter(({ key }) => key === run.treatmentKey) ?? []).map(
            ({ shortLabel }) => shortLabel,
          ),
        ].join(': '),
        note: numbered?.name ?? '',
      })),
    },
    {
      label: 'Experiments',
      options: (numbered ? [numbered, ...others] : others).map((one) => ({
        value: experimentPath(one),
        label: one.name || 'Untitled experiment',
        note: `E-${one.id}`,
      })),
    },
  ];
  return [...found.filter(({ options }) => options.length > 0), ...findOptions(here, search)];
}
