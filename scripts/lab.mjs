import { ensureLabTools } from './ensure-tools.mjs';
import { handOver, messageOf, prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage: `npm run lab -- [up|down|show] [--devices N] [--plain] [--name NAME]

  up       starts N virtual Pis (3) and prints their inventory as JSON, and a link that adds them on the page
  down     removes them and everything that belongs to them
  show     prints the inventory again
  --plain  namespaces with one sshd each, without systemd in them`,
  options: { devices: { type: 'string' }, plain: { type: 'boolean' }, name: { type: 'string' } },
  maxPositionals: 1,
});

const { node } = prepare();
try {
  if (process.getuid?.() === 0) ensureLabTools();
} catch (error) {
  console.error(`mqttlab: ${messageOf(error)}`);
  process.exit(1);
}
handOver(node, ['--disable-warning=ExperimentalWarning', 'e2e/lab/main.ts', ...process.argv.slice(2)]);
