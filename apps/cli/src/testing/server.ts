/** Parts of the server that tests of the command line run against. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProject, parseConfig } from '../../../server/src/base/config.ts';
import { startServer } from '../../../server/src/server.ts';
import { makeNoAgents } from '../../../server/src/testing/stores-factory.ts';
import { callCli } from './call-cli.ts';

export { type ApiRig, startApiRig } from '../../../server/src/api/testing/api-rig.ts';
export { issueAgentToken } from '../../../server/src/devices/agent-tokens.ts';
export { type BundledExperiment, bundleFiles } from '../../../server/src/exchange/bundle-format.ts';
export { openZip } from '../../../server/src/exchange/read-zip.ts';
export { exportBundle, packBundle } from '../../../server/src/exchange/testing/pack-bundle.ts';
export { makeKeyPair } from '../../../server/src/provisioning/log-in.ts';
export { makeHostKey, startSshServer } from '../../../server/src/provisioning/testing/ssh-server.ts';
export { Rig } from '../../../server/src/run/testing/rig.ts';
export { openFolderDatabase } from '../../../server/src/store/data-folder.ts';
export { hashSecret, makeTokenStore } from '../../../server/src/store/settings/access-store.ts';
export { playExperiment, playPlan } from '../../../server/src/testing/stores-factory.ts';
export { type Receiver, startReceiver } from '../../../server/src/webhooks/testing/receiver.ts';

export const project = findProject();
export const examplesFolder = join(project.root, 'examples');
export const exampleNames = readdirSync(examplesFolder).filter((name) => name.endsWith('.yaml'));

export type LocalApp = Awaited<ReturnType<typeof startLocalApp>>;

/** Starts a server with a certificate authority, without agents. */
export function startHttpsServer(dataFolder: string, adminToken: string) {
  const settings = { PORT: '0', HOST: '0.0.0.0', LOG_LEVEL: 'silent', MQTTLAB_ADMIN_TOKEN: adminToken };
  const config = parseConfig({ ...settings, MQTTLAB_DATA: dataFolder }, project);
  return startServer(config, { localAgents: makeNoAgents(), readyMs: 10 });
}

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
