/** Those in which nothing more happens by itself. */
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

/** Takes the status of any document: a comparison has it as text. */
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

/** Statuses that never change again; anything else is settled when the server starts. */
export const settledRunStatuses = ['done', 'failed', 'cancelled', 'interrupted'] as const;

export type RunStatus = (typeof runStatuses)[number];

/** Begun and not over. */
export function isUnderWay(status: RunStatus): boolean {
  return status !== 'planned' && !isSettled(status);
}

export function isSettled(status: RunStatus): boolean {
  return (settledRunStatuses as readonly string[]).includes(status);
}

/** The phases of a Trial, in the order in which they happen (RFC 9293, RFC 8446, MQTT 5 section 3). */
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

/** Phases that set a connection up; the rest carry load. */
export const setUpPhases: readonly Phase[] = ['tcp', 'tls', 'connect', 'subscribe'];
