import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../../app.ts';
import { parseConfig } from '../../base/config.ts';
import { findProject } from '../../base/project.ts';
import { exportCommand } from '../commands/export.ts';
import { plan } from '../commands/plan.ts';
import { run } from '../commands/run.ts';
import { callCli } from './call-cli.ts';

export const examplesFolder = join(findProject().root, 'examples');
export const exampleNames = readdirSync(examplesFolder).filter((name) => name.endsWith('.yaml'));

export type LocalApp = Awaited<ReturnType<typeof startLocalApp>>;

/** The server with real agents, and the command line that uses it. */
export async function startLocalApp() {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-examples-'));
  const environment = { PORT: '0', LOG_LEVEL: 'silent', MQTTLAB_DATA: join(folder, 'data') };
  const app = await startApp(parseConfig(environment, findProject()));
  const commands = [plan, run, exportCommand];
  return {
    folder,
    call: (...argv: string[]) => callCli(argv, { env: { MQTTLAB_URL: app.address }, commands }),
    async stop() {
      await app.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
