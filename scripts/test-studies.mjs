import { ensureBuild } from './build.mjs';
import { ensureTools } from './ensure-tools.mjs';
import { handOver, prepare, run } from './project.mjs';
import { ensurePaho } from './python.mjs';
import { helpOnly } from './script-arguments.mjs';

helpOnly(`npm run test:studies [-- options of playwright test]

Holds every published value against its line of the full text, then runs the five studies at smoke scale and every client
with every security and QoS beside a capture, in under ten minutes on a quiet machine. "-- two-links" runs two of the
studies on virtual Pis instead.`);

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
const chosen = process.argv.slice(2);
handOver(node, [
  'node_modules/@playwright/test/cli.js',
  'test',
  ...(chosen.length > 0 ? chosen : ['all-five', 'every-client']),
  '--config',
  'e2e/playwright.studies.config.ts',
]);
