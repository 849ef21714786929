import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { buildAgent } from './build.mjs';

/** The agent as it travels, of the sources as they stand: tests start it and its children hundreds of times. */
export async function setup() {
  // Another project of the same run has built it.
  if (process.env.MQTTLAB_TEST_AGENT !== undefined) return;
  const folder = join(import.meta.dirname, '../../node_modules/.cache/agent');
  mkdirSync(folder, { recursive: true });
  const built = await buildAgent({ outfile: join(folder, `${process.pid}.mjs`) });
  // Named after what is in it: several may test at once, and what Node has compiled stays good.
  const name = createHash('sha256').update(readFileSync(built)).digest('hex').slice(0, 16);
  process.env.MQTTLAB_TEST_AGENT = join(folder, `${name}.mjs`);
  renameSync(built, process.env.MQTTLAB_TEST_AGENT);
}
