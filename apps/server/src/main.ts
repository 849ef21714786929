import { type RunningApp, startApp } from './app.ts';
import { parseConfig } from './base/config.ts';
import { StartError } from './base/errors.ts';
import { findProject } from './base/project.ts';
import { StorageError } from './store/storage-error.ts';

/** A terminal and npm may both pass one Ctrl-C on; what comes later than this is a second wish. */
const sameWishMs = 500;

/** Stops in order, also when the start is not through yet; a second signal does not wait. */
function stopOnSignal(starting: Promise<RunningApp>): void {
  let askedAt: number | null = null;
  const stop = (): void => {
    if (askedAt !== null) {
      if (performance.now() - askedAt > sameWishMs) process.exit(1);
      return;
    }
    askedAt = performance.now();
    starting
      .then((app) => app.stop())
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
  // Whoever started us with a channel is gone.
  process.once('disconnect', stop);
}

// The last net: whatever wrote state where nobody waits for it must not end what else goes on. The page says that
// the disk takes nothing.
process.on('uncaughtException', (error) => {
  console.error(error);
  if (!(error instanceof StorageError)) process.exit(1);
});

// Whatever is written from here on, by the server and by what it starts, is for its own user only.
process.umask(0o077);

try {
  const config = parseConfig(process.env, findProject());
  // Nothing that is started from here needs it.
  delete process.env.MQTTLAB_ADMIN_TOKEN;
  const starting = startApp(config);
  stopOnSignal(starting);
  const { address, words } = await starting;
  for (const line of [`mqttlab is ready on ${address}`, ...words]) console.log(line);
} catch (error) {
  if (error instanceof StartError || error instanceof StorageError)
    console.error(`mqttlab: ${error.message} ${error.remedy}`);
  else console.error(error);
  process.exit(1);
}
