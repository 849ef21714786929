import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { run } from './project.mjs';
import { ensurePython } from './python.mjs';

/** Installs Schemathesis in a separate environment. Resolves with the program, or with null if that fails. */
export async function ensureFuzzer() {
  const programs = await ensurePython({
    name: '.mqttlab-schemathesis',
    packages: ['schemathesis==4.32.5'],
    modules: ['schemathesis'],
  });
  return programs === null ? null : join(programs, 'st');
}

/**
 * Runs both passes over the API against the built server and resolves with the exit code. Uses a separate network
 * if possible: the API accepts addresses, and generated ones must not be reached.
 *
 * @param {string} node
 * @param {readonly string[]} options
 */
export function fuzzApi(node, options) {
  const program = ['--disable-warning=ExperimentalWarning', 'e2e/api/main.ts', ...options];
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  for (const args of [['--net'], ['--user', '--map-root-user', '--net']]) {
    const probe = spawnSync('unshare', [...args, ...inside, 'true'], { stdio: 'ignore' });
    if (probe.status === 0) return run('unshare', [...args, ...inside, node, ...program]);
  }
  return run(node, [...program, '--in-the-open']);
}
