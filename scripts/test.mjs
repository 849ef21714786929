import { ensureBuild } from './build.mjs';
import { ensureTools } from './ensure-tools.mjs';
import { ensureFuzzer, fuzzApi } from './fuzz-api.mjs';
import { prepare } from './project.mjs';
import { ensurePaho } from './python.mjs';
import { readArguments } from './script-arguments.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { clearResults, playwrightSuite, reportingSuite, runSuites, vitestSuite } from './suites.mjs';

const { values } = readArguments({
  usage: `npm test [-- --fail-fast]

Installs what the tests need, then runs every test whose result does not depend on the speed of the machine: static
checks, unit and server tests, a fuzz test of the API and the browser journeys. "npm run test:full" runs the rest.

  --fail-fast  ends after the first suite that fails`,
  options: { 'fail-fast': { type: 'boolean', default: false } },
});

const { node } = prepare();
ensureTools();
const fuzzer = await ensureFuzzer();
if (fuzzer === null) process.exit(1);
await ensurePaho();
await ensureBuild(node);

clearResults();
const failFast = values['fail-fast'];
const fuzz = (file) => fuzzApi(node, ['--program', fuzzer, '--examples', '5', '--json', file]);
const unit = ['--project', 'pure', '--project', 'devices', ...(failFast ? ['--bail', '1'] : [])];
const journeys = ['--config', 'e2e/playwright.config.ts', '--project', 'journeys'];
const suites = [
  { name: 'static', lane: 'code', run: () => runStaticChecks(node) },
  { name: 'journeys', lane: 'pages', run: playwrightSuite(node, 'journeys', journeys) },
  { name: 'unit', lane: 'code', run: vitestSuite(node, 'unit', unit) },
  { name: 'api', lane: 'pages', run: reportingSuite('api', fuzz) },
];
process.exit(await runSuites(suites, { failFast }));
