import {
  type ExperimentStatus,
  type ExperimentSummary,
  isFinished,
} from '@mqttlab/shared/domain/runs/experiment';
import type { ExperimentAction } from '@mqttlab/shared/messages/http';

export interface Offer {
  action: ExperimentAction;
  label: string;
  /** Shorter words for the phone's action bar. */
  shortLabel?: string;
  /** What the page says once it is done. */
  done: string;
  danger?: boolean;
  primary?: boolean;
}

const pause: Offer = { action: 'pause', label: 'Pause', done: 'Pauses after this run' };
const resume: Offer = { action: 'resume', label: 'Resume', done: 'Goes on', primary: true };
const stop: Offer = {
  action: 'stop-after-run',
  label: 'Stop after this run',
  done: 'Stops after this run; every finished run is kept',
};
const cancel: Offer = {
  action: 'cancel',
  label: 'Cancel',
  done: 'Cancelled; every finished run is kept',
  danger: true,
};
const retry: Offer = { action: 'retry-failed', label: 'Retry failed', done: 'Failed trials run again' };
const rest: Offer = {
  action: 'retry-failed',
  label: 'Run the rest',
  done: 'Trials without a result run now',
};
const clone: Offer = { action: 'clone', label: 'Clone', done: 'Cloned into a new draft' };

const offers: Readonly<Record<ExperimentStatus, readonly Offer[]>> = {
  draft: [],
  queued: [cancel],
  running: [pause, stop, cancel],
  pausing: [{ ...resume, label: 'Do not pause', shortLabel: 'Go on', primary: false }, stop, cancel],
  paused: [
    resume,
    { ...stop, label: 'Stop here', shortLabel: 'Stop', done: 'Stopped; every finished run is kept' },
    cancel,
  ],
  stopping: [cancel],
  done: [clone],
  stopped: [clone],
  cancelled: [clone],
};

type Offered = Pick<ExperimentSummary, 'status' | 'progress'> & Partial<Pick<ExperimentSummary, 'imported'>>;

/** What can be done to an experiment now, in the order of the page head. */
export function offersFor({ status, progress, imported }: Offered): Offer[] {
  // What was run elsewhere stays as it came; a clone runs here.
  if (imported) return [{ ...clone, label: 'Run this on my testbed', shortLabel: 'Run here' }];
  const isAtRest = isFinished(status) || status === 'paused';
  if (isAtRest && progress.failed > 0) return [retry, ...offers[status]];
  if (isFinished(status) && progress.done < progress.trials) return [rest, ...offers[status]];
  return [...offers[status]];
}
