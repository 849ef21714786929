import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ensureBuild } from './build.mjs';
import { ensureTools } from './ensure-tools.mjs';
import { ensureFuzzer, fuzzApi } from './fuzz-api.mjs';
import { prepare, root, run } from './project.mjs';
import { ensurePaho } from './python.mjs';
import { readArguments } from './script-arguments.mjs';
import { runStaticChecks } from './static-checks.mjs';

readArguments({
  usage: `npm test

Installs what the tests need, then runs static checks, unit tests, browser tests and, as root on Linux, the virtual
lab.`,
});

const { node } = prepare();
// The virtual lab is made of namespaces and mounts, which only root may make.
const withLab = process.platform === 'linux' && process.getuid?.() === 0;
ensureTools({ lab: withLab });
const fuzzer = await ensureFuzzer();
await ensurePaho();
if (fuzzer === null) process.exit(1);
await ensureBuild(node);

const results = join(root, 'test-results');
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

// Checks read the code only: there is room for them where a lab boots by itself.
const counts = await Promise.all([
  runStaticChecks(node),
  ...(withLab ? [runVitest('lab-alone.json', labArgs('alone'))] : []),
]);
counts.push(await runVitest('unit.json', []));
counts.push(await runFuzzer());
counts.push(await runBrowser('alone'));
if (!withLab) console.log('The tests in the virtual lab were left out: they need root on Linux.');
// Virtual Pis mostly boot and wait: there is room for the browser and faults beside them.
const beside = await Promise.all([
  runBrowser('pages').then((count) => [count]),
  runChaos().then((count) => [count]),
  ...(withLab ? [runLabApart()] : []),
]);
counts.push(...beside.flat());

const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
const retried = counts.flatMap((count) => count.retried ?? []);
for (const name of counts.flatMap((count) => count.failures ?? [])) console.log(`failed: ${name}`);
for (const name of retried) console.log(`tried again: ${name}`);
console.log(`${retried.length} tried again`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function labArgs(project) {
  return ['--config', 'e2e/lab/vitest.config.ts', '--project', project];
}

async function runFuzzer() {
  const code = await fuzzApi(node, ['--program', fuzzer]);
  return counted(code, join(results, 'api.json'), (counts) => ({
    ...counts,
    failures: counts.failed > 0 ? ['the API against its document: see "FAIL" above'] : [],
  }));
}

/** In a network of its own: a browser gives up what it is loading when an interface of its machine comes or goes. */
async function runLabApart() {
  const apart = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  return [await runVitest('lab-beside.json', labArgs('beside'), apart), await runBrowser('lab', apart)];
}

/** The same ten sequences each time: what fails here can be played again. */
async function runChaos() {
  const file = join(results, 'chaos.json');
  const code = await run(node, ['scripts/chaos.mjs', '--seed', '1', '--sequences', '10', '--json', file]);
  return counted(code, file, (counts) => counts);
}

async function runBrowser(project, within = []) {
  const file = join(results, `e2e-${project}.json`);
  const [program, ...words] = [...within, node, 'node_modules/@playwright/test/cli.js', 'test'];
  const config = ['--config', 'e2e/playwright.config.ts', '--project', project];
  // One after the other, for each has the machine to itself.
  if (project === 'alone') config.push('--workers', '1');
  const output = ['--output', join(results, `e2e-${project}`)];
  const code = await run(program, [...words, ...config, ...output], {
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: file },
  });
  return counted(code, file, ({ stats, suites }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    failures: suites.flatMap((suite) => namesIn(suite, ({ status }) => status === 'unexpected')),
    // Whatever came of it.
    retried: suites.flatMap((suite) => namesIn(suite, ({ results: tries }) => tries.length > 1)),
  }));
}

/** Tests of Playwright's report, by file and name. */
function namesIn({ title, suites = [], specs = [] }, isWanted, within = []) {
  const path = [...within, title];
  const own = specs.filter(({ tests }) => tests.some(isWanted));
  return [
    ...own.map((spec) => [...path, spec.title].join(' > ') + reasonOf(spec)),
    ...suites.flatMap((suite) => namesIn(suite, isWanted, path)),
  ];
}

/** The last error of a test of Playwright's report, if it had one. */
function reasonOf({ tests }) {
  return firstLine(
    tests.flatMap(({ results: tries }) => tries.flatMap(({ error }) => error?.message ?? [])).at(-1),
  );
}

function firstLine(message) {
  return message === undefined ? '' : `: ${stripVTControlCharacters(message).split('\n')[0]}`;
}

async function runVitest(name, args, within = []) {
  const file = join(results, name);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const [program, ...words] = [...within, node, 'node_modules/vitest/vitest.mjs', 'run', ...reporters];
  const code = await run(program, [...words, ...args]);
  return counted(code, file, ({ numPassedTests, numFailedTests, testResults }) => ({
    passed: numPassedTests,
    failed: numFailedTests,
    failures: testResults.flatMap(failuresOf),
  }));
}

/** Failed tests of one file of vitest's report, by file and name; the file itself where it could not be run. */
function failuresOf({ name, status, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [relative(root, name)];
  return failed.map(
    ({ fullName, failureMessages: [why] }) => `${relative(root, name)} > ${fullName}${firstLine(why)}`,
  );
}

/** A runner that failed without naming a failed test counts as one failure, named by its report. */
function counted(code, file, read) {
  let count = { passed: 0, failed: 0 };
  try {
    count = read(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    console.error(`mqttlab: no report in ${file}: ${error.message}`);
    return { passed: 0, failed: 1, failures: [basename(file)] };
  }
  if (code === 0 || count.failed > 0) return count;
  return {
    ...count,
    failed: 1,
    failures: [...(count.failures ?? []), `${basename(file)}: exit code ${code}`],
  };
}
