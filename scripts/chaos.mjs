import { spawnSync } from 'node:child_process';
import { ensureBuild } from './build.mjs';
import { handOver, prepare, root } from './project.mjs';

const { node } = prepare();
const program = ['--disable-warning=ExperimentalWarning', 'e2e/chaos/main.ts', ...process.argv.slice(2)];
// What was typed is looked at before anything is built.
const looked = spawnSync(node, program, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, MQTTLAB_CHAOS_LOOK: '1' },
});
if (looked.status !== 0 || process.argv.includes('--help')) process.exit(looked.status ?? 1);
await ensureBuild(node);
// In a network of its own nothing that is cut or shaped is anybody else's.
const unshare = ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', node, ...program];
const mayUnshare = process.getuid?.() === 0 && spawnSync('unshare', ['--net', 'true']).status === 0;
process.chdir(root);
if (mayUnshare) handOver('unshare', unshare, { ...process.env, MQTTLAB_CHAOS_NETWORK: 'own' });
else handOver(node, program);
