import { definitionChanges, definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ExperimentSummary, Headline } from '@mqttlab/shared/domain/runs/experiment';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { ExperimentStatus } from '@mqttlab/shared/domain/runs/statuses';
import { formatCount } from '@mqttlab/shared/format/number';
import { NBSP } from '@mqttlab/shared/format/quantity';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { experimentCode, formatClock, formatDuration, listNames } from '../../ui/format.ts';
import type { StatusKind } from '../../ui/status.tsx';

interface StatusWords {
  kind: StatusKind;
  /** Word that replaces the default word of the kind. */
  word?: string;
  /** Second, dimmed line. */
  note: string;
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

/** Returns the status of a finished experiment, by whether any of its runs can be used. */
function outcome({ done, failed, flagged }: ExperimentSummary['progress']): Omit<StatusWords, 'note'> {
  if (done === 0 && failed > 0) return { kind: 'failed', word: 'All failed' };
  if (done > 0 && flagged === done) return { kind: 'flagged', word: 'Done' };
  return { kind: 'done' };
}

const statusWords: Readonly<Record<ExperimentStatus, StatusOf>> = {
  draft: () => ({ kind: 'draft', note: 'not started' }),
  queued: () => ({ kind: 'queued', note: 'in the queue' }),
  running: left,
  pausing: (experiment) => ({ ...left(experiment), word: 'Pausing', note: 'after this run' }),
  paused: (experiment) => ({ kind: 'paused', note: after(experiment) }),
  stopping: (experiment) => ({ ...left(experiment), word: 'Stopping', note: 'after this run' }),
  done: (experiment) => ({ ...outcome(experiment.progress), note: took(experiment) }),
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

/** Returns the number of trials that will not run again automatically. */
function settledTrials(progress: ExperimentSummary['progress']): number {
  return progress.done + progress.failed + progress.cancelled;
}

interface ResultWords {
  /** "+4.1 % [2.5, 4.8]" */
  figure: string;
  /** "AES-256-GCM vs Plain", which is short, so that the treatment name is not cut off. */
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

/** Returns "Done", "Done, 2 of 18 flagged", "Stopped, all flagged". */
export function withFlagged(
  word: string,
  { done, flagged }: Pick<ExperimentSummary['progress'], 'done' | 'flagged'>,
): string {
  if (flagged === 0) return word;
  return flagged === done ? `${word}, all flagged` : `${word}, ${flagged} of ${done} flagged`;
}

/** Returns the number of runs that are included in the analysis, and of flagged and failed runs. */
export function countValidity({ progress }: ExperimentSummary): {
  valid: number;
  flagged: number;
  failed: number;
} {
  const { done, flagged, failed } = progress;
  return { valid: Math.max(0, done - flagged), flagged, failed };
}

/** Returns true if the experiment has finished runs to compare. */
export function canCompare({ progress }: ExperimentSummary): boolean {
  return progress.done > 0;
}

/** Returns "protocol × QoS", with names in sentence case and abbreviations unchanged. */
export function variedWords(labels: readonly string[]): string {
  return labels
    .map((label) => label.replace(/^[A-Z](?=[a-z]+\b)/, (first) => first.toLowerCase()))
    .join(' × ');
}

/** Explains why a finished experiment has no main contrast. Returns null if one may still appear. */
export function whyNoResult(experiment: ExperimentSummary): string | null {
  const { status, progress } = experiment;
  if (status !== 'done' && status !== 'stopped' && status !== 'cancelled') return null;
  if (progress.done === 0) return progress.failed > 0 ? 'every trial failed' : 'no trial finished';
  return countValidity(experiment).valid === 0 ? 'every run is flagged' : 'too few valid runs';
}

interface WaitingWords {
  /** Short form for lists: "waits for pi-2". */
  short: string;
  reason: string;
  remedy: string;
}

type Asked = Pick<ExperimentSummary, 'id' | 'status'>;

/**
 * Explains why an experiment waits before its next run, with a remedy. Returns null if it does not wait.
 * Pure.
 */
export function describeWaiting(
  { id, status }: Asked,
  testbed: TestbedStatus | undefined,
): WaitingWords | null {
  if (!testbed || !(status === 'queued' || status === 'running')) return null;
  const { busyWith, waiting, probing, draining = [] } = testbed;
  if (waiting && busyWith === id) return forDevices(testbed, waiting);
  if (draining.length > 0 && busyWith !== id) {
    const names = namesOf(testbed, draining);
    return {
      short: `${names} drained`,
      reason: `${names} ${draining.length === 1 ? 'is' : 'are'} drained, so no runs start on ${testbed.name}.`,
      remedy: 'Press “Resume runs” on the Devices page.',
    };
  }
  if (status !== 'queued') return null;
  if (busyWith !== null && busyWith !== id) {
    const other = experimentCode(busyWith);
    return {
      short: `after ${other}`,
      reason: `${other} is using ${testbed.name}.`,
      remedy: 'This experiment then starts automatically.',
    };
  }
  if (!probing) return null;
  return {
    short: 'after a pre-flight',
    reason: `A pre-flight is running on ${testbed.name}.`,
    remedy: 'This experiment then starts automatically.',
  };
}

function forDevices(testbed: TestbedStatus, waiting: NonNullable<TestbedStatus['waiting']>): WaitingWords {
  const { runIds, untilAt } = waiting;
  const isAway = (id: string) => testbed.devices.some(({ deviceId, online }) => deviceId === id && !online);
  // Devices that have reconnected deliver their results.
  const away = waiting.deviceIds.filter(isAway);
  const deviceIds = away.length > 0 ? away : waiting.deviceIds;
  const names = namesOf(testbed, deviceIds);
  const [it, runs] = [deviceIds.length === 1 ? 'it' : 'they', runIds.length === 1 ? 'run' : 'runs'];
  return {
    short: `waits for ${deviceIds.length > 1 ? `${deviceIds.length} devices` : names}`,
    reason: `Waiting for ${names} until ${formatClock(untilAt)}: ${it} may have undelivered results from ${runs} ${runIds.join(', ')}.`,
    remedy: `Check whether ${it} ${it === 'it' ? 'is' : 'are'} switched on and connected. Runs without results by then are repeated.`,
  };
}

function namesOf({ devices }: TestbedStatus, deviceIds: readonly string[]): string {
  return listNames(
    deviceIds.map((deviceId) => devices.find((device) => device.deviceId === deviceId)?.name ?? deviceId),
  );
}

/** Returns the validity of a finished run, or the status of any other run. */
export function runStatusKind({ status, flagged }: Pick<RunSummary, 'status' | 'flagged'>): StatusKind {
  if (status === 'done') return flagged ? 'flagged' : 'valid';
  return status;
}

/** Describes the latest change to metric definitions. */
export function whatChanged(): string {
  return definitionChanges.find(({ version }) => version === definitionsVersion)?.what ?? '';
}
