import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { Study } from '@mqttlab/shared/catalogue/studies/study';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { experimentPath } from '../../ui/format.ts';
import { findOptions, type SearchGroup } from '../../ui/input/pick.tsx';
import { lowerDestinations, mainDestinations } from '../../ui/shell/navigation.tsx';
import { metricAddress } from '../reference/metric-field.tsx';

/** What can be done from anywhere; the dialog carries them out. */
const actions = [
  { value: 'new', label: 'New experiment', words: 'create start' },
  { value: 'tour', label: 'Run the tour', words: 'start demo' },
  { value: 'theme', label: 'Switch between light and dark colours', words: 'theme mode' },
] as const;
export type SearchAction = (typeof actions)[number]['value'] | 'pause' | 'resume';

type Searched = {
  /** The experiment that can be paused or resumed now. */
  running: { code: string; state: 'running' | 'paused' } | null | undefined;
  /** As the server found them by name, question, tags and factors. */
  experiments: readonly Pick<ExperimentSummary, 'id' | 'name' | 'status'>[];
  /** The experiment, and the run, whose number was typed. */
  numbered: Pick<ExperimentSummary, 'id' | 'name' | 'status'> | undefined;
  run: Pick<RunDetail, 'id' | 'experimentId' | 'experimentName' | 'treatment'> | undefined;
  studies: readonly Pick<Study, 'id' | 'title'>[];
};

/** Pages that no rail leads to. */
const references = [{ to: '/reference/metrics', label: 'Metrics: definitions, sources and known bias' }];

const metricOptions = metrics.map(({ id, label, unit }) => ({
  value: metricAddress(id),
  label,
  note: unit,
  words: id,
}));

/** "27", "run 27" or "#27" names a run; null for anything else. */
export function runNumberOf(search: string): number | null {
  const number = /^(?:run|#)?\s*([1-9]\d{0,8})$/i.exec(search.trim())?.[1];
  return number ? Number(number) : null;
}

/** "E-12" or "12" names an experiment by its number. */
export function experimentNumberOf(search: string): number | null {
  const number = /^(?:e-?)?\s*([1-9]\d{0,8})$/i.exec(search.trim())?.[1];
  return number ? Number(number) : null;
}

/** What fits the words typed, the address of each as its value. */
export function searchGroups(
  search: string,
  { experiments, numbered, run, studies, running }: Searched,
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
  ];
  const others = experiments.filter(({ id }) => id !== numbered?.id);
  const found = [
    {
      label: 'Runs',
      options: run
        ? [
            {
              value: `/experiments/${run.experimentId}/runs/${run.id}`,
              label: `Run ${run.id}: ${run.treatment.shortLabel}`,
              note: run.experimentName,
            },
          ]
        : [],
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
