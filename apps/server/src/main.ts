import { type RunningApp, startApp } from './app.ts';
import { parseConfig } from './config.ts';
import { findProject } from './project.ts';
import { StartError } from './start-error.ts';

/** A signal during the start stops as soon as it is through; a second one does not wait. */
function stopOnSignal(starting: Promise<RunningApp>): void {
  let asked = false;
  const stop = (): void => {
    if (asked) process.exit(1);
    asked = true;
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
}

try {
  const starting = startApp(parseConfig(process.env, findProject()));
  stopOnSignal(starting);
  const { address } = await starting;
  console.log(`mqttlab is ready on ${address}`);
} catch (error) {
  if (error instanceof StartError) console.error(`mqttlab: ${error.message} ${error.remedy}`);
  else console.error(error);
  process.exit(1);
}
