import { ensureBuild } from './build.mjs';
import { ensureTools } from './ensure-tools.mjs';
import { handOver, prepare } from './project.mjs';
import { helpOnly } from './script-arguments.mjs';

helpOnly(`npm run test:studies [-- options of playwright test]

Runs the published studies as they are, for hours.`);

const { node } = prepare();
try {
  ensureTools();
} catch (error) {
  console.error(`mqttlab: ${error.message}`);
  process.exit(1);
}
await ensureBuild(node);
handOver(node, [
  'node_modules/@playwright/test/cli.js',
  'test',
  '--config',
  'e2e/playwright.studies.config.ts',
  ...process.argv.slice(2),
]);
