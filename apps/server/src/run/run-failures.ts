import type { Failure } from '@mqttlab/shared/domain/runs/run';
import { systemFailureOf } from '@mqttlab/shared/domain/runs/system-failure';
import { AgentError } from '../devices/agent-link.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { StorageError } from '../store/storage-error.ts';

/** A run that could not be executed, in words for the user. */
export class RunError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'RunError';
    this.failure = failure;
  }
}

/** Ends a run from outside. */
export class RunStop extends Error {
  readonly status: 'cancelled' | 'interrupted';

  constructor(status: RunStop['status'], message: string) {
    super(message);
    this.name = 'RunStop';
    this.status = status;
  }
}

/** A run that ended, but whose end could not be stored in time. */
export class UnsettledRun extends Error {
  /** What is to be stored; null: the run is done, according to its stored results. */
  readonly ending: Parameters<RunStore['update']>[1] | null;

  constructor(ending: UnsettledRun['ending'], cause: unknown) {
    super('The database could not be written for too long.', { cause });
    this.name = 'UnsettledRun';
    this.ending = ending;
  }
}

/** Returns any thrown error as the failure that the page of the run shows. */
export function toFailure(error: unknown): Failure {
  if (error instanceof RunError || error instanceof AgentError) return error.failure;
  if (error instanceof RunStop) {
    const { status, message } = error;
    return status === 'cancelled'
      ? { code: status, message, remedy: 'Retry it when it is needed.' }
      : { code: 'server-stopped', message, remedy: 'The trial is run again when the server is started.' };
  }
  if (error instanceof StorageError) {
    return {
      code: error.code === 'full' ? 'disk-full' : 'not-stored',
      message: `The results could not be stored: ${error.message} The devices keep them.`,
      remedy: error.remedy,
    };
  }
  const ofSystem = systemFailureOf(error);
  if (ofSystem) return { ...ofSystem, message: `On the server: ${ofSystem.message}` };
  return {
    code: 'server-fault',
    message: `The server failed to carry the run out: ${error instanceof Error ? error.message : String(error)}`,
    remedy: "Look at the server's log and report this; then retry the run.",
  };
}
