/** Final statuses, which only a user can change. */
export const finishedStatuses = ['done', 'stopped', 'cancelled'] as const;

export const experimentStatuses = [
  'draft',
  'queued',
  'running',
  'pausing',
  'paused',
  'stopping',
  ...finishedStatuses,
] as const;

export type ExperimentStatus = (typeof experimentStatuses)[number];

/** Accepts the status as text, as in comparisons. */
export function isFinished(status: string): boolean {
  return (finishedStatuses as readonly string[]).includes(status);
}

export const runStatuses = [
  'planned',
  'preparing',
  'running',
  'collecting',
  'done',
  'failed',
  'cancelled',
  'interrupted',
] as const;

/** Final statuses of a run; the server finalises all other runs when it starts. */
export const settledRunStatuses = ['done', 'failed', 'cancelled', 'interrupted'] as const;

export type RunStatus = (typeof runStatuses)[number];

/** Statuses of active runs. */
export function isUnderWay(status: RunStatus): boolean {
  return status !== 'planned' && !isSettled(status);
}

export function isSettled(status: RunStatus): boolean {
  return (settledRunStatuses as readonly string[]).includes(status);
}

/** The phases of a trial, in order (RFC 9293, RFC 8446, MQTT 5 section 3). */
export const phases = [
  'tcp',
  'tls',
  'connect',
  'subscribe',
  'warm-up',
  'measure',
  'drain',
  'disconnect',
] as const;

export type Phase = (typeof phases)[number];

/** Phases of connection set-up; all other phases carry load. */
export const setUpPhases: readonly Phase[] = ['tcp', 'tls', 'connect', 'subscribe'];
