import type { Failure } from '@mqttlab/shared/domain/runs/run';
import { systemFailureOf } from '@mqttlab/shared/domain/runs/system-failure';
import { StorageError } from '../store/storage-error.ts';
import { AgentError } from '../testbed/agent-link.ts';

/** A Run that could not be carried out, in words a person reads. */
export class RunError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'RunError';
    this.failure = failure;
  }
}

/** Whatever was thrown, as what the page of the Run shows. */
export function toFailure(error: unknown): Failure {
  if (error instanceof RunError || error instanceof AgentError) return error.failure;
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
