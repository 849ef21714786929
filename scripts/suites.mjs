import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { messageOf, root, run } from './project.mjs';

/**
 * Result of a suite. `failures` names each failed test and the first line of its error.
 *
 * @typedef {{ passed: number, failed: number, failures: string[] }} Result
 */

/**
 * The functions below make `run` for each kind of test runner. The signal ends test runners early. Suites of one lane run
 * one after the other; a suite without a lane has the machine to itself.
 *
 * @typedef {{ name: string, run: (signal?: AbortSignal) => Promise<Result>, lane?: string }} Suite
 */

/**
 * Test of vitest's JSON report.
 *
 * @typedef {{ status: string, fullName: string, failureMessages: string[] }} VitestTest
 * @typedef {{ name: string, status: string, assertionResults: VitestTest[] }} VitestFile
 * @typedef {{ numPassedTests: number, numFailedTests: number, testResults: VitestFile[] }} VitestReport
 */

/**
 * Suite of Playwright's JSON report.
 *
 * @typedef {{ status: string, results: { error?: { message?: string } }[] }} PlaywrightTest
 * @typedef {{ title: string, suites?: PlaywrightSuite[], specs?: { title: string, tests: PlaywrightTest[] }[] }} PlaywrightSuite
 * @typedef {{ stats: { expected: number, unexpected: number, flaky: number }, suites: PlaywrightSuite[], errors?: { message?: string }[] }} PlaywrightReport
 */

const results = join(root, 'test-results');

/** Empties the folder that the runners write their reports to. */
export function clearResults() {
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
}

/**
 * Runs vitest with the arguments.
 *
 * @param {string} node
 * @param {string} name
 * @param {readonly string[]} args
 * @returns {Suite['run']}
 */
export function vitestSuite(node, name, args) {
  const file = join(results, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  return async (signal) => {
    const code = await run(node, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
      ...(signal && { signal }),
    });
    return readReport(
      code,
      file,
      (/** @type {VitestReport} */ { numPassedTests, numFailedTests, testResults }) => ({
        passed: numPassedTests,
        failed: numFailedTests,
        failures: testResults.flatMap(vitestFailures),
      }),
    );
  };
}

/**
 * Runs Playwright with the arguments.
 *
 * @param {string} node
 * @param {string} name
 * @param {readonly string[]} args
 * @returns {Suite['run']}
 */
export function playwrightSuite(node, name, args) {
  const file = join(results, `${name}.json`);
  return async (signal) => {
    const command = ['node_modules/@playwright/test/cli.js', 'test', ...args];
    const code = await run(node, [...command, '--output', join(results, name)], {
      ...(signal && { signal }),
      env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: file },
    });
    return readReport(code, file, (/** @type {PlaywrightReport} */ { stats, suites, errors = [] }) => ({
      passed: stats.expected,
      failed: stats.unexpected + stats.flaky,
      failures: [
        ...suites.flatMap((suite) => playwrightFailures(suite)),
        ...errors.map(({ message }) => `${name}${firstLine(message)}`),
      ],
    }));
  };
}

/**
 * Runs a program that writes its Result as JSON to a file.
 *
 * @param {string} name
 * @param {(file: string) => Promise<number>} start starts it with the path of the file and resolves with the exit code
 * @returns {Suite['run']}
 */
export function reportingSuite(name, start) {
  const file = join(results, `${name}.json`);
  return async () => readReport(await start(file), file, (/** @type {Result} */ counts) => counts);
}

/**
 * Runs a program whose exit code is its only result: one test.
 *
 * @param {string} name
 * @param {() => Promise<number>} start
 * @returns {Suite['run']}
 */
export function programSuite(name, start) {
  return async () =>
    (await start()) === 0
      ? { passed: 1, failed: 0, failures: [] }
      : { passed: 0, failed: 1, failures: [`${name}: its output is above`] };
}

/**
 * Runs the suites without a lane one after the other, then the lanes side by side. Prints a table of durations and
 * results and the closing line `N passed, N failed`, and resolves with the exit code. With `failFast` the first suite
 * that fails ends the others.
 *
 * @param {readonly Suite[]} suites
 * @param {{ failFast?: boolean }} [options]
 */
export async function runSuites(suites, { failFast = false } = {}) {
  /** @type {(Result & { name: string, seconds: number })[]} */
  const rows = [];
  const startedAt = Date.now();
  const early = new AbortController();
  /** @param {readonly Suite[]} some */
  const runInTurn = async (some) => {
    for (const suite of some) {
      console.log(`\n=== ${suite.name}`);
      const row = await timed(suite, early.signal);
      if (early.signal.aborted) return;
      rows.push(row);
      if (failFast && row.failed > 0) early.abort();
    }
  };
  /** @param {string | undefined} wanted */
  const inLane = (wanted) => suites.filter(({ lane }) => lane === wanted);
  await runInTurn(inLane(undefined));
  const lanes = new Set(suites.flatMap(({ lane }) => lane ?? []));
  await Promise.all([...lanes].map((lane) => runInTurn(inLane(lane))));
  /** @param {'passed' | 'failed'} field */
  const sumOf = (field) => rows.reduce((sum, row) => sum + row[field], 0);
  console.log('');
  for (const row of rows) {
    for (const failure of row.failures ?? []) console.log(`failed: ${row.name}: ${failure}`);
  }
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, seconds, passed, failed } of rows) {
    const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(3)} failed`;
    console.log(`${failed === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(width)} ${duration(seconds)} ${counts}`);
  }
  console.log(`     ${'total'.padEnd(width)} ${duration((Date.now() - startedAt) / 1000)}`);
  const [passed, failed] = [sumOf('passed'), sumOf('failed')];
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

/**
 * @param {Suite} suite
 * @param {AbortSignal} signal
 */
async function timed({ name, run: start }, signal) {
  const startedAt = Date.now();
  const result = await start(signal);
  return { name, seconds: (Date.now() - startedAt) / 1000, ...result };
}

/** @param {number} seconds */
function duration(seconds) {
  return `${Math.floor(seconds / 60)
    .toString()
    .padStart(3)} min ${String(Math.floor(seconds % 60)).padStart(2)} s`;
}

/**
 * Returns the result in a report. A runner that failed without naming a failed test counts as one failure.
 *
 * @template Report
 * @param {number} code
 * @param {string} file
 * @param {(report: Report) => Result} read
 * @returns {Result}
 */
function readReport(code, file, read) {
  const name = basename(file, '.json');
  let count;
  try {
    count = read(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    return { passed: 0, failed: 1, failures: [`${name}: no report (${messageOf(error)})`] };
  }
  if (code === 0 || count.failed > 0) return count;
  return { ...count, failed: 1, failures: [...(count.failures ?? []), `${name}: exit code ${code}`] };
}

/**
 * Failed tests of one file of vitest's report; the file itself if it could not be run.
 *
 * @param {VitestFile} file
 */
function vitestFailures({ name, status, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [relative(root, name)];
  return failed.map(
    ({ fullName, failureMessages: [why] }) => `${relative(root, name)} > ${fullName}${firstLine(why)}`,
  );
}

/**
 * Failed tests of one suite of Playwright's report, with the last error of each.
 *
 * @param {PlaywrightSuite} suite
 * @param {readonly string[]} [within]
 * @returns {string[]}
 */
function playwrightFailures({ title, suites = [], specs = [] }, within = []) {
  const path = [...within, title];
  const failed = specs.filter(({ tests }) =>
    tests.some(({ status }) => status === 'unexpected' || status === 'flaky'),
  );
  return [
    ...failed.map((spec) => {
      const errors = spec.tests.flatMap(({ results: runs }) =>
        runs.flatMap(({ error }) => error?.message ?? []),
      );
      return [...path, spec.title].join(' > ') + firstLine(errors.at(-1));
    }),
    ...suites.flatMap((suite) => playwrightFailures(suite, path)),
  ];
}

/** @param {string | undefined} message */
function firstLine(message) {
  return message === undefined ? '' : `: ${stripVTControlCharacters(message).split('\n')[0]}`;
}
