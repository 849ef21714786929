import { ensureTools } from './ensure-tools.mjs';
import { handOver, prepare } from './project.mjs';

const { node } = prepare();
try {
  ensureTools();
} catch (error) {
  console.error(`mqttlab: ${error.message}`);
  process.exit(1);
}
handOver(node, [
  '--disable-warning=ExperimentalWarning',
  'apps/server/bench/quiet-runs.ts',
  ...process.argv.slice(2),
]);
