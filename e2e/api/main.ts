import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { TestServer } from '../fixtures/server.ts';
import { stopOnSignal } from '../fixtures/stop-on-signal.ts';
import { fillServer } from './fill-server.ts';
import { outgoing, parametersOf } from './known-things.ts';

/**
 * Tests the API against its OpenAPI document with generated requests: first an empty server, then a server with data
 * whose ids are used. No response may be a server error, and the server must keep running.
 */
const { values } = parseArgs({
  options: {
    program: { type: 'string' },
    seed: { type: 'string', default: '1' },
    /** Generated requests per operation and pass. */
    examples: { type: 'string', default: '20' },
    /** Also tests every boundary value of every parameter: about 6,400 requests per pass. */
    coverage: { type: 'boolean', default: false },
    /** File for the counts, JSON. */
    json: { type: 'string', default: '' },
    /** Without a separate network namespace, omits requests that make the server connect elsewhere. */
    'in-the-open': { type: 'boolean', default: false },
  },
});
const results = join(import.meta.dirname, '..', '..', 'test-results');
mkdirSync(results, { recursive: true });

const reportSchema = z.object({
  operations: z.object({ total: z.int(), selected: z.int(), tested: z.int() }),
  test_cases: z.object({ generated: z.int() }),
  failures: z.array(z.object({ title: z.string(), operations: z.array(z.string()) })),
  errors: z.array(z.unknown()),
  valid_rates: z.record(
    z.string(),
    z.partialRecord(z.enum(['coverage', 'fuzzing']), z.object({ accepted: z.int() })),
  ),
});
type Report = z.infer<typeof reportSchema>;

/** Minimum share of reads by id that must find an object. */
const minFound = 0.8;

interface Pass {
  name: string;
  server: TestServer;
  /** Schemathesis settings in TOML. */
  settings: string;
  hasData: boolean;
}

/** Describes the failure; null if there was none. */
async function runPass({ name, server, settings, hasData }: Pass): Promise<string | null> {
  const settingsFile = join(server.dataFolder, 'schemathesis.toml');
  const reportFile = join(results, `api-${name}.json`);
  writeFileSync(settingsFile, settings);
  const args = [
    '--config-file',
    settingsFile,
    '--no-color',
    'run',
    `${server.address}/api/v1/openapi.json`,
    '--checks',
    'not_a_server_error',
    '--phases',
    values.coverage ? 'coverage,fuzzing' : 'fuzzing',
    '--continue-on-failure',
    '--seed',
    values.seed,
    '--max-examples',
    values.examples,
    // Its threads share Python's recursion limit and exceed it.
    '--workers',
    '1',
    // A report on a busy machine takes minutes; the kill timer of the pass is the limit.
    '--request-timeout',
    '600',
    '--no-shrink',
    '--suppress-health-check',
    'all',
    '--warnings',
    'off',
    '--header',
    `Authorization: Bearer ${server.token}`,
    '--report',
    'json',
    '--report-json-path',
    reportFile,
    ...(values['in-the-open'] ? ['--exclude-path-regex', outgoing] : []),
  ];
  const { code, words } = await runFuzzer(args, server.dataFolder);
  if (code !== 0 && code !== 1) return `Schemathesis ended with ${code}:\n${words}`;
  const report = reportSchema.parse(JSON.parse(readFileSync(reportFile, 'utf8')));
  const { selected, tested } = report.operations;
  console.log(`${name}: ${report.test_cases.generated} requests to ${tested} of ${selected} operations`);
  if (code !== 0 || report.failures.length + report.errors.length > 0) return words;
  if (tested < selected) return `only ${tested} of ${selected} operations were tried`;
  if (hasData) {
    const missed = notFound(report);
    if (missed !== null) return missed;
  }
  const ready = await fetch(`${server.address}/readyz`);
  if (!ready.ok) return `afterwards the server was not ready: ${ready.status}`;
  const ended = await server.stop();
  if (ended !== 0) return `the server ended with ${ended}: ${server.words}`;
  return /"level":[56]0/.test(server.words) ? `the server logged errors:\n${server.words}` : null;
}

/** Existing objects that no request found. If there are any, the pass is meaningless. */
function notFound({ valid_rates: rates }: Report): string | null {
  const reads = Object.entries(rates).filter(([name]) => /^GET .*\{/.test(name));
  const missed = reads.filter(
    ([, { coverage, fuzzing }]) => (coverage?.accepted ?? 0) + (fuzzing?.accepted ?? 0) === 0,
  );
  if (reads.length - missed.length >= minFound * reads.length) return null;
  return `the data was not found by ${missed.map(([name]) => name).join(', ')}`;
}

/** Kill timer for one pass, in ms. */
const passTimeoutMs = 45 * 60_000;

const servers: TestServer[] = [];
const fuzzers: ChildProcess[] = [];
stopOnSignal(async () => {
  for (const fuzzer of fuzzers) fuzzer.kill('SIGKILL');
  await Promise.all(servers.map((server) => server.remove()));
});

async function runFuzzer(args: readonly string[], folder: string) {
  const child = spawn(values.program ?? 'st', args, {
    cwd: folder,
    timeout: passTimeoutMs,
    killSignal: 'SIGKILL',
  });
  fuzzers.push(child);
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      words = (words + data.toString()).slice(-40_000);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, words };
}

async function tryPass(
  name: string,
  fill: ((server: TestServer) => Promise<string>) | null,
): Promise<boolean> {
  const server = new TestServer();
  servers.push(server);
  server.rehearsal = 'off';
  server.token = randomBytes(32).toString('hex');
  try {
    await server.start({ MQTTLAB_ADMIN_TOKEN: server.token, LOG_LEVEL: 'error' });
    const settings = fill === null ? '' : await fill(server);
    const wrong = await runPass({ name, server, settings, hasData: fill !== null });
    if (wrong !== null) console.error(`FAIL ${name}: ${wrong}`);
    return wrong === null;
  } finally {
    await server.remove();
  }
}

const passed = await Promise.all([
  tryPass('empty-server', null),
  tryPass('server-with-data', async (server) => parametersOf(await fillServer(server))),
]);
const count = passed.filter(Boolean).length;
const counts = { passed: count, failed: passed.length - count };
if (values.json !== '') writeFileSync(values.json, JSON.stringify(counts));
console.log(`API: ${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
