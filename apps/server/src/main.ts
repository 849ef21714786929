import { Failure } from '@mqttlab/shared/kit/failure';
import { findProject, parseConfig } from './base/config.ts';
import { type RunningServer, startServer } from './server.ts';
import { StorageError } from './store/storage-error.ts';

/**
 * A terminal and npm may both send a signal for one Ctrl-C. Only a signal that arrives later than this, in
 * ms, is a second request.
 */
const duplicateSignalMs = 500;

/**
 * Stops the server in order, even before the start is complete. A second signal ends the process immediately.
 */
function stopOnSignal(starting: Promise<RunningServer>): void {
  let requestedAt: number | null = null;
  const stop = (): void => {
    if (requestedAt !== null) {
      if (performance.now() - requestedAt > duplicateSignalMs) process.exit(1);
      return;
    }
    requestedAt = performance.now();
    starting
      .then((server) => server.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // The parent process that started the server with an IPC channel has exited.
  process.once('disconnect', stop);
}

// Last resort: a failed background write must not stop the server. The page reports the full disk.
process.on('uncaughtException', (error) => {
  console.error(error);
  if (!(error instanceof StorageError)) process.exit(1);
});

// From here on, files of the server and its child processes are only accessible to their user.
process.umask(0o077);

try {
  const config = parseConfig(process.env, findProject());
  // Child processes do not need the token.
  delete process.env.MQTTLAB_ADMIN_TOKEN;
  const starting = startServer(config);
  stopOnSignal(starting);
  const { address, messages } = await starting;
  for (const line of [`mqttlab is ready on ${address}`, ...messages]) console.log(line);
} catch (error) {
  if (error instanceof Failure) console.error(`mqttlab: ${error.message} ${error.remedy}`);
  else console.error(error);
  process.exit(1);
}
