import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleServerPrograms } from '../../scripts/bundle.mjs';
import { buildAgent } from './build.mjs';

const cache = join(import.meta.dirname, '../../node_modules/.cache');

/**
 * Builds the agent and the programs of the server from the present sources. Tests start them hundreds of times, and
 * loading the sources takes ten times the CPU time.
 */
export async function setup() {
  // Another project of the same run has built them.
  if (process.env.MQTTLAB_TEST_AGENT !== undefined) return;
  const building = join(cache, `programs-${process.pid}`);
  await Promise.all([buildAgent({ outfile: join(building, 'agent.mjs') }), bundleServerPrograms(building)]);
  // Named after its content: several test runs may use it, and the compiled code that Node stores stays valid.
  const folder = join(cache, `programs-${hashOf(building)}`);
  if (existsSync(folder)) rmSync(building, { recursive: true });
  else renameSync(building, folder);
  process.env.MQTTLAB_TEST_AGENT = join(folder, 'agent.mjs');
  process.env.MQTTLAB_PROGRAMS = `${pathToFileURL(folder).href}/`;
}

/** @param {string} folder */
function hashOf(folder) {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}
