import type { ExperimentStatus } from '@mqttlab/shared/domain/runs/experiment';
import type { ExperimentAction } from '@mqttlab/shared/messages/http';

export type RunAction = Exclude<ExperimentAction, 'clone' | 'restore'>;

/** What an action makes of an experiment in each status; where there is nothing, the action does not fit. */
export const transitions: Readonly<
  Record<RunAction, Readonly<Partial<Record<ExperimentStatus, ExperimentStatus>>>>
> = {
  start: { draft: 'queued' },
  pause: { queued: 'paused', running: 'pausing' },
  resume: { paused: 'queued', pausing: 'running' },
  'stop-after-run': { queued: 'stopped', paused: 'stopped', running: 'stopping', pausing: 'stopping' },
  cancel: {
    queued: 'cancelled',
    running: 'cancelled',
    pausing: 'cancelled',
    paused: 'cancelled',
    stopping: 'cancelled',
  },
  'retry-failed': {
    queued: 'queued',
    running: 'running',
    pausing: 'pausing',
    paused: 'paused',
    done: 'queued',
    stopped: 'queued',
    cancelled: 'queued',
  },
};
