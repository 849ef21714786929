import { ensureBuild } from './build.mjs';
import { ensureTools } from './ensure-tools.mjs';
import { handOver, prepare, run } from './project.mjs';
import { ensurePaho } from './python.mjs';
import { helpOnly } from './script-arguments.mjs';

helpOnly(`npm run test:studies [-- options of playwright test]

Compares every published value with its line of the full text, then runs the five studies at smoke scale and every client
with every security and QoS next to a capture, in under ten minutes on a quiet machine.`);

const { node } = prepare();
ensureTools();
const compared = await run(node, [
  'node_modules/vitest/vitest.mjs',
  'run',
  'packages/shared/src/catalogue/studies',
]);
if (compared !== 0) process.exit(compared);
await ensureBuild(node);
await ensurePaho();
handOver(node, [
  'node_modules/@playwright/test/cli.js',
  'test',
  ...process.argv.slice(2),
  '--config',
  'e2e/playwright.config.ts',
  '--project',
  'studies',
  '--reporter',
  'list',
]);
