import { ensureLabTools } from './ensure-tools.mjs';
import { handOver, prepare } from './project.mjs';

const { node } = prepare();
try {
  if (process.getuid?.() === 0) ensureLabTools();
} catch (error) {
  console.error(`mqttlab: ${error.message}`);
  process.exit(1);
}
handOver(node, ['--disable-warning=ExperimentalWarning', 'e2e/lab/main.ts', ...process.argv.slice(2)]);
