import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { makeQuickDraft, startExperiment, waitUntilDone } from '../fixtures/experiments.ts';
import { TestServer } from '../fixtures/server.ts';
import { stopOnSignal } from '../fixtures/stop-on-signal.ts';

/**
 * Runs the notebook and the R script of `examples/analysis` on a real experiment, and compares every interval with those
 * of the API. Without `--rscript` only the notebook runs.
 */
const { values: options } = parseArgs({
  options: {
    jupyter: { type: 'string', default: 'jupyter-execute' },
    rscript: { type: 'string', default: '' },
    json: { type: 'string', default: '' },
  },
});

const examples = fileURLToPath(new URL('../../examples/analysis', import.meta.url));
const counts = { passed: 0, failed: 0, failures: [] as string[] };

function check(what: string, holds: boolean): void {
  counts[holds ? 'passed' : 'failed'] += 1;
  if (holds) return;
  counts.failures.push(what);
  console.log(`FAILED ${what}`);
}

type Row = Readonly<Record<string, string>>;

/** Reads CSV whose cells contain no line breaks. */
function readTable(text: string): Row[] {
  const [header = [], ...rows] = text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(cellOf));
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])));
}

function cellOf([, quoted, plain = '']: RegExpMatchArray): string {
  return quoted?.replaceAll('""', '"') ?? plain;
}

const numberOf = (cell: string | undefined): number | null => (cell ? Number(cell) : null);

/** True if two programs computed the same number, or both none. */
function agree(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= 1e-12 + 1e-7 * Math.max(Math.abs(a), Math.abs(b));
}

interface Expected {
  estimates: {
    metric: string;
    treatment: string;
    n: number;
    value: number | null;
    from: number | null;
    to: number | null;
  }[];
  contrasts: Row[];
}

interface ReportData {
  responses: {
    metric: string;
    estimates: { treatment: string; n: number; mean: number | null; lo: number | null; hi: number | null }[];
  }[];
}

/** What the API states: contrasts of every metric, and the estimates of the metrics in the report. */
async function fetchExpected(id: number, plan: Plan): Promise<Expected> {
  const contrasts = readTable(await download(`/experiments/${id}/contrasts.csv`));
  const report = JSON.parse(await download(`/experiments/${id}/report.json`)) as ReportData;
  const labels = new Map(plan.treatments.map(({ key, label }) => [key, label]));
  const estimates = report.responses.flatMap(({ metric, estimates: found }) =>
    found.map(({ treatment, n, mean, lo, hi }) => ({
      metric,
      treatment: labels.get(treatment) ?? treatment,
      n,
      value: mean,
      from: lo,
      to: hi,
    })),
  );
  return { estimates, contrasts };
}

async function download(path: string): Promise<string> {
  const response = await fetch(`${server.address}/api/v1${path}`);
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

/** Compares the two tables that a program wrote with the API. */
function compare(program: string, folder: string, expected: Expected): void {
  const estimates = readTable(readFileSync(join(folder, 'estimates.csv'), 'utf8'));
  const contrasts = readTable(readFileSync(join(folder, 'contrasts.csv'), 'utf8'));
  let intervals = 0;
  for (const { metric, treatment, n, ...figures } of expected.estimates) {
    const own = estimates.find((row) => row.metric === metric && row.treatment === treatment);
    const what = `${program}, ${metric} of ${treatment}`;
    check(`${what}: ${own?.n ?? 0} runs, the API has ${n}`, Number(own?.n ?? 0) === n);
    for (const name of ['value', 'from', 'to'] as const) {
      check(
        `${what}: ${name} is ${own?.[name]}, ${figures[name]} in the API`,
        agree(numberOf(own?.[name]), figures[name]),
      );
    }
    if (figures.from !== null) intervals += 1;
  }
  for (const row of expected.contrasts) {
    const isSame = (own: Row) =>
      own.metric === row.metric && own.treatment === row.treatment && own.baseline === row.baseline;
    const own = contrasts.find(isSame);
    const what = `${program}, ${row.metric} of ${row.treatment} against ${row.baseline}`;
    if (row.outcome === 'not measured') check(`${what}: not measured`, own === undefined);
    else check(`${what}: scale ${own?.scale}, ${row.scale} in the API`, own?.scale === row.scale);
    for (const name of ['value', 'from', 'to', 'p_holm']) {
      check(
        `${what}: ${name} is ${own?.[name]}, ${row[name]} in the API`,
        agree(numberOf(own?.[name]), numberOf(row[name])),
      );
    }
    if (row.from) intervals += 1;
  }
  check(`${program}: no contrast that the API does not have`, contrasts.length <= expected.contrasts.length);
  check(`${program}: ${intervals} intervals`, intervals > 20);
  console.log(`${program}: ${intervals} intervals of the API compared`);
}

const server = new TestServer();
stopOnSignal(() => server.remove());
try {
  await server.start();
  const factors = {
    security: ['plain', 'TLS 1.3'],
    cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
    qos: [0, 1],
    rate: [200],
  };
  const id = await startExperiment(server, makeQuickDraft({ name: 'Analysis', factors, repetitions: 4 }));
  await waitUntilDone(server, id);
  const { plan } = JSON.parse(await download(`/experiments/${id}/runs.json`)) as { plan: Plan };
  const expected = await fetchExpected(id, plan);
  const files: Record<string, string> = {};
  for (const format of ['parquet', 'csv']) {
    const answer = await fetch(`${server.address}/api/v1/experiments/${id}/values.${format}`);
    const file = join(server.dataFolder, `values.${format}`);
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
    files[format] = file;
  }
  const baseline = plan.treatments.find(({ key }) => key === plan.baselineKey)?.label ?? '';
  const programs = [
    {
      name: 'notebook',
      table: files.parquet,
      command: [options.jupyter, join(examples, 'report-intervals.ipynb')],
    },
    ...(options.rscript === ''
      ? []
      : [
          {
            name: 'R script',
            table: files.csv,
            command: [options.rscript, '--vanilla', join(examples, 'report-intervals.R')],
          },
        ]),
  ];
  for (const { name, table = '', command } of programs) {
    const folder = join(server.dataFolder, name);
    mkdirSync(folder);
    const [program = '', ...args] = command;
    const { status } = spawnSync(program, args, {
      env: { ...process.env, VALUES: table, BASELINE: baseline, EQUAL: 'qos', RESULTS: folder },
      stdio: 'inherit',
    });
    check(`${name}: exit code ${status}`, status === 0);
    if (status === 0) compare(name, folder, expected);
    const wrong = spawnSync(program, args, {
      env: { ...process.env, VALUES: table, BASELINE: 'no such treatment', RESULTS: folder },
      encoding: 'utf8',
    });
    check(
      `${name}: a wrong baseline is refused with the choices`,
      wrong.status !== 0 && `${wrong.stdout}${wrong.stderr}`.includes(baseline),
    );
  }
} finally {
  await server.remove();
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
if (options.json !== '') writeFileSync(options.json, JSON.stringify(counts));
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
if (process.connected) process.disconnect();
