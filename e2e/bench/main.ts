import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import type { BenchRow } from '@mqttlab/shared/testing/bench';
import { formatRows } from '@mqttlab/shared/testing/bench';
import { measureComparePage } from './compare-page-rows.ts';
import { measureLab } from './lab-rows.ts';
import { measurePageSize } from './page-size.ts';
import { measureServer } from './server-rows.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { json: asJson } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values;
/** Timeout of each part: several times its usual duration. */
const partMs = 20 * 60_000;

/** Benchmarks of the agent's load engine and the server's analysis, in separate processes to avoid interference. */
async function measurePart(part: string): Promise<BenchRow[]> {
  const program = join(root, part, 'bench/main.ts');
  const args = ['--disable-warning=ExperimentalWarning', program, '--json'];
  const run = promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 24, timeout: partMs });
  // The exit code is 1 if a goal is missed; the results are available anyway.
  const { stdout } = await run.catch((error: { code?: number; killed?: boolean; stdout: string }) => {
    if (error.killed) throw new Error(`The bench of ${part} was stopped after ${partMs / 60_000} minutes.`);
    if (error.code !== 1 || error.stdout === '') throw error;
    return error;
  });
  return JSON.parse(stdout);
}

const rows = [
  ...(await measurePart('packages/agent')),
  ...(await measurePart('apps/server')),
  ...(await measureServer()),
  ...(await measureLab(root)),
  ...(await measureComparePage(root)),
  ...measurePageSize(join(root, 'apps/web/dist')),
];
if (asJson) console.log(JSON.stringify({ at: new Date().toISOString(), node: process.version, rows }));
else for (const line of formatRows(rows)) console.log(line);
process.exitCode = rows.some((row) => row.met === false) ? 1 : 0;
if (process.connected) process.disconnect();
