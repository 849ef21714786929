import { systemFailureOf } from '@mqttlab/shared/domain/runs/system-failure';
import { Failure, type FailureReport, reasonOf } from '@mqttlab/shared/kit/failure';
import { StorageError } from '../store/storage-error.ts';

/** Returns the reason to abort a run that a user cancelled, or whose trial another run has completed. */
export function cancelled(message: string): Failure {
  return new Failure({ code: 'cancelled', message, remedy: 'Retry it if needed.' });
}

/** Returns the reason to abort a run because the server is stopping. */
export function serverStopped(): Failure {
  return new Failure({
    code: 'server-stopped',
    message: 'The server was stopped during the run.',
    remedy: 'The trial is run again when the server is started.',
  });
}

/** Converts any thrown error to the failure that the run's page shows. */
export function toFailure(error: unknown): FailureReport {
  if (error instanceof StorageError) {
    return {
      code: error.code === 'full' ? 'disk-full' : 'not-stored',
      message: `The results could not be stored: ${error.message} The devices still have them.`,
      remedy: error.remedy,
    };
  }
  if (error instanceof Failure) return error.report;
  const ofSystem = systemFailureOf(error);
  if (ofSystem) return { ...ofSystem, message: `On the server: ${ofSystem.message}` };
  return {
    code: 'server-fault',
    message: `The server failed to execute the run: ${reasonOf(error)}`,
    remedy: "Check the server's log and report the problem; then retry the run.",
  };
}
