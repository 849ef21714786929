import { ensureBuild } from './build.mjs';
import { handOver, prepare, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const usage = `npm run pool-test [-- --agents N --connections N]

Enrols agents in pools on this machine, with the commands of the Kubernetes manifests and without containers, lets them
share the connections of a run over TLS 1.3, kills one in ten in mid-run and looks whether a result is lost or doubled
and whether every figure is the sum of what the agents said. Says how much memory and CPU time the server took.

  --agents N       (60)
  --connections N  of all agents together (6000)`;
const { values } = readArguments({
  usage,
  options: { agents: { type: 'string', default: '60' }, connections: { type: 'string', default: '6000' } },
});
for (const name of /** @type {const} */ (['agents', 'connections'])) {
  if (/^\d{1,5}$/.test(values[name]) && Number(values[name]) >= 10) continue;
  console.error(`--${name} needs a whole number of at least 10, not "${values[name]}".\nUsage: ${usage}`);
  process.exit(2);
}
const { node } = prepare();
await ensureBuild(node);
process.chdir(root);
const program = ['--disable-warning=ExperimentalWarning', 'e2e/pool/main.ts'];
handOver(node, [...program, values.agents, values.connections]);
