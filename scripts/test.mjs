import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild } from './build.mjs';
import { ensureTools } from './ensure-tools.mjs';
import { prepare, root, run } from './project.mjs';
import { runStaticChecks } from './static-checks.mjs';

const { node } = prepare();
try {
  ensureTools();
} catch (error) {
  console.error(`mqttlab: ${error.message}`);
  process.exit(1);
}
await ensureBuild(node);

const results = join(root, 'test-results');
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const counts = [await runStaticChecks(node)];

const unitFile = join(results, 'unit.json');
const unitCode = await run(node, [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${unitFile}`,
]);
counts.push(
  counted(unitCode, unitFile, (report) => ({ passed: report.numPassedTests, failed: report.numFailedTests })),
);

const pageFile = join(results, 'e2e.json');
const pageCode = await run(
  node,
  ['node_modules/@playwright/test/cli.js', 'test', '--config', 'e2e/playwright.config.ts'],
  {
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: pageFile },
  },
);
counts.push(
  counted(pageCode, pageFile, ({ stats }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
  })),
);

const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** A runner that failed without naming a failed test counts as one failure. */
function counted(code, file, read) {
  let count = { passed: 0, failed: 0 };
  try {
    count = read(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    console.error(`mqttlab: no report in ${file}: ${error.message}`);
    return { passed: 0, failed: 1 };
  }
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
}
