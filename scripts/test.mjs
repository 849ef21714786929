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
/** @param {string} file */
const fuzz = (file) => fuzzApi(node, ['--program', fuzzer, '--examples', '5', '--json', file]);
const bail = failFast ? ['--bail', '1'] : [];
// A second worker would import everything again, which takes longer than the tests.
const pure = ['--project', 'pure', '--maxWorkers', '1', ...bail];
const devices = ['--project', 'devices', ...bail];
const journeys = ['--config', 'e2e/playwright.config.ts', '--project', 'journeys'];
const suites = [
  // Most of these wait for agents, brokers and pages, so there is room for the others.
  { name: 'devices', lane: 'devices', run: vitestSuite(node, 'devices', devices) },
  { name: 'journeys', lane: 'pages', run: playwrightSuite(node, 'journeys', journeys) },
  { name: 'static', lane: 'code', run: () => runStaticChecks(node) },
  { name: 'pure', lane: 'code', run: vitestSuite(node, 'pure', pure) },
  { name: 'api', lane: 'code', run: reportingSuite('api', fuzz) },
];
process.exit(await runSuites(suites, { failFast }));
