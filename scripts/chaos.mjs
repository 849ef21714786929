import { spawnSync } from 'node:child_process';
import { ensureBuild } from './build.mjs';
import { handOver, prepare, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const usage = `npm run chaos [-- --seed N --sequences N --json FILE]

Plays sequences of faults over short real experiments on the built-in testbed, and looks after each whether a result
was lost or doubled, a trial counts other than once, a process or a rule of the kernel is left, the database is whole
and every end is explained. Root on Linux also fills a disk, cuts connections and jumps the clock (libfaketime).

  --seed N       of the first sequence (a number by chance); the next ones have the seeds after it
  --sequences N  how many (10)
  --json FILE    writes how many passed and failed, and which failed`;
const { values } = readArguments({
  usage,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    sequences: { type: 'string', default: '10' },
    json: { type: 'string', default: '' },
  },
});
for (const name of /** @type {const} */ (['seed', 'sequences'])) {
  if (/^\d{1,9}$/.test(values[name])) continue;
  console.error(`--${name} needs a whole number, not "${values[name]}".\nUsage: ${usage}`);
  process.exit(2);
}
const { node } = prepare();
await ensureBuild(node);
const choice = [values.seed, values.sequences, values.json];
const program = ['--disable-warning=ExperimentalWarning', 'e2e/chaos/main.ts', ...choice];
// In a separate network, cut and shaped connections do not affect other programs.
const unshare = ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', node, ...program];
const mayUnshare = process.getuid?.() === 0 && spawnSync('unshare', ['--net', 'true']).status === 0;
process.chdir(root);
if (mayUnshare) handOver('unshare', unshare, { ...process.env, MQTTLAB_CHAOS_NETWORK: 'own' });
else handOver(node, program);
