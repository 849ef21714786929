import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ExperimentStatus, ExperimentSummary, Headline } from '@mqttlab/shared/domain/runs/experiment';
import { formatCount } from '@mqttlab/shared/format/number';
import { NBSP } from '@mqttlab/shared/format/quantity';
import { formatDuration } from '../../ui/format.ts';
import type { StatusKind } from '../../ui/status.tsx';

export interface StatusWords {
  kind: StatusKind;
  /** Replaces the kind's own word. */
  word?: string;
  /** Second, dimmed line. */
  note: string;
}

/** "E-12": how an experiment is called in lists, crumbs and toasts. */
export function experimentCode(id: number): string {
  return `E-${id}`;
}

/** A draft may have no name yet; lists and titles then say so. */
export function experimentTitle(name: string): string {
  return name.trim() === '' ? 'Untitled experiment' : name;
}

type StatusOf = (experiment: ExperimentSummary) => StatusWords;

const left: StatusOf = ({ timeLeftMs, progress }) => ({
  kind: 'running',
  note:
    timeLeftMs === null
      ? `${formatCount(settledTrials(progress))} of ${formatCount(progress.trials)}`
      : `${formatDuration(timeLeftMs)} left`,
});

const after = ({ progress }: ExperimentSummary): string =>
  `after trial ${formatCount(settledTrials(progress))}`;

const statusWords: Readonly<Record<ExperimentStatus, StatusOf>> = {
  draft: () => ({ kind: 'draft', note: 'not started' }),
  queued: () => ({ kind: 'queued', note: 'in the queue' }),
  running: left,
  pausing: (experiment) => ({ ...left(experiment), word: 'Pausing', note: 'after this run' }),
  paused: (experiment) => ({ kind: 'paused', note: after(experiment) }),
  stopping: (experiment) => ({ ...left(experiment), word: 'Stopping', note: 'after this run' }),
  done: (experiment) => ({
    ...(experiment.progress.done === 0 && experiment.progress.failed > 0
      ? { kind: 'failed' as const, word: 'All failed' }
      : { kind: 'done' as const }),
    note: took(experiment),
  }),
  stopped: (experiment) => ({ kind: 'stopped', note: after(experiment) }),
  cancelled: (experiment) => ({ kind: 'cancelled', note: after(experiment) }),
};

export function describeStatus(experiment: ExperimentSummary): StatusWords {
  if (experiment.broken) return { kind: 'failed', word: 'Damaged', note: 'cannot be read' };
  return statusWords[experiment.status](experiment);
}

function took({ startedAt, finishedAt }: ExperimentSummary): string {
  return startedAt === null || finishedAt === null ? '' : formatDuration(finishedAt - startedAt);
}

/** Trials that will not run again by themselves. */
function settledTrials(progress: ExperimentSummary['progress']): number {
  return progress.done + progress.failed + progress.cancelled;
}

export interface ResultWords {
  /** "+4.1 % [2.5, 4.8]" */
  figure: string;
  /** "AES-256-GCM vs Plain": the long word costs the name of the treatment its end. */
  contrast: string;
  /** "Latency, median" */
  metric: string;
}

export function describeHeadline({ figure, who, metric }: Headline): ResultWords {
  return {
    figure: figure.replaceAll(NBSP, ' '),
    contrast: who.replace(' against ', ' vs '),
    metric: findMetric(metric)?.label ?? metric,
  };
}

/** Runs that analysis takes, and those it leaves out. */
export function countValidity({ progress }: ExperimentSummary): {
  valid: number;
  flagged: number;
  failed: number;
} {
  const { done, flagged, failed } = progress;
  return { valid: Math.max(0, done - flagged), flagged, failed };
}

/** Where a row leads: a draft goes on in the wizard. */
export function experimentPath({ id, status }: Pick<ExperimentSummary, 'id' | 'status'>): string {
  return status === 'draft' ? `/experiments/${id}/edit` : `/experiments/${id}`;
}

/** Only what has run has something to compare. */
export function canCompare({ progress }: ExperimentSummary): boolean {
  return progress.done > 0;
}

/** "protocol × QoS": names in running text, abbreviations left as they are. */
export function variedWords(labels: readonly string[]): string {
  return labels
    .map((label) => label.replace(/^[A-Z](?=[a-z]+\b)/, (first) => first.toLowerCase()))
    .join(' × ');
}

/** Why a settled experiment has no main contrast; null while one may still come. */
export function whyNoResult(experiment: ExperimentSummary): string | null {
  const { status, progress } = experiment;
  if (status !== 'done' && status !== 'stopped' && status !== 'cancelled') return null;
  if (progress.done === 0) return progress.failed > 0 ? 'every trial failed' : 'no trial finished';
  return countValidity(experiment).valid === 0 ? 'every run is flagged' : 'too few valid runs';
}
