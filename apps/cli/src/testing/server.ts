/** Parts of the server that tests of the command line run against. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProject, parseConfig } from '../../../server/src/base/config.ts';
import { startServer } from '../../../server/src/server.ts';
import { callCli } from './call-cli.ts';

export { type ApiRig, startApiRig } from '../../../server/src/api/testing/api-rig.ts';
export { Rig } from '../../../server/src/run/testing/rig.ts';
export { openFolderDatabase } from '../../../server/src/store/data-folder.ts';
export { hashSecret, makeTokenStore } from '../../../server/src/store/settings/access-store.ts';
export { playExperiment } from '../../../server/src/testing/stores-factory.ts';
export { type Receiver, startReceiver } from '../../../server/src/webhooks/testing/receiver.ts';

export const project = findProject();
export const examplesFolder = join(project.root, 'examples');
export const exampleNames = readdirSync(examplesFolder).filter((name) => name.endsWith('.yaml'));

export type LocalApp = Awaited<ReturnType<typeof startLocalApp>>;

/** Starts the server with real agents. `call` runs the command line against it. */
export async function startLocalApp() {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-examples-'));
  const environment = { PORT: '0', LOG_LEVEL: 'silent', MQTTLAB_DATA: join(folder, 'data') };
  const app = await startServer(parseConfig(environment, project));
  return {
    folder,
    call: (...argv: string[]) => callCli(argv, { env: { MQTTLAB_URL: app.address } }),
    async stop() {
      await app.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
