import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { run } from './project.mjs';
import { ensurePython } from './python.mjs';

/** Schemathesis in an environment of its own; resolves with the program, with null where it cannot be had. */
export async function ensureFuzzer() {
  const programs = await ensurePython({
    name: '.mqttlab-schemathesis',
    packages: ['schemathesis==4.32.5'],
    modules: ['schemathesis'],
  });
  return programs === null ? null : join(programs, 'st');
}

/**
 * Runs both passes over the API against the built server and resolves with the exit code. In a network of its own,
 * where that can be made: the API takes addresses, and what is made up must reach nobody.
 */
export function fuzzApi(node, options) {
  const program = [node, '--disable-warning=ExperimentalWarning', 'e2e/api/main.ts', ...options];
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  for (const apart of [
    ['unshare', '--net'],
    ['unshare', '--user', '--map-root-user', '--net'],
  ]) {
    const [command, ...args] = apart;
    const probe = spawnSync(command, [...args, ...inside, 'true'], { stdio: 'ignore' });
    if (probe.status === 0) return run(command, [...args, ...inside, ...program]);
  }
  return run(program[0], [...program.slice(1), '--in-the-open']);
}
