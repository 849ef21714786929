import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { liveSocketPath } from '@mqttlab/shared/messages/address';
import { atMost, type BenchRow, figure, formatRows, median } from '@mqttlab/shared/testing/bench';
import { WebSocket } from 'ws';
import { fillLarge, type LargeDatabase } from './fill-large.ts';
import { ProbedServer } from './probed-server.ts';

const usage = `node apps/server/bench/large.ts [--data FOLDER] [--only holds,load,bundle] [--json]

Measures the built server (npm run build) on 100,000 runs: how long each route blocks the event loop, latency
under load, and the memory that the report, bundle and exports of the largest experiment need. Takes about
10 minutes.

  --data FOLDER  keeps the filled data folder there and reuses it
  --only PARTS   holds, load, bundle
  --largest N    runs in the largest experiment (4230)
  --runs N       total runs (101520)
  --seconds N    duration of the load (20)
  --cold         starts the load without stored reports and comparisons
  --server FILE  a build other than dist/server.mjs
  --json         prints the figures as JSON`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    only: { type: 'string', default: 'holds,load,bundle' },
    largest: { type: 'string', default: '4230' },
    runs: { type: 'string', default: '101520' },
    seconds: { type: 'string', default: '20' },
    cold: { type: 'boolean', default: false },
    server: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Answer {
  status: number;
  bytes: number;
  ms: number;
  firstByteMs: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 400 });

function ask(url: string, path: string): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url + path, { agent, headers: { 'accept-encoding': 'gzip, br' } }, (response) => {
      const firstByteMs = performance.now() - startedAt;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, bytes, ms: performance.now() - startedAt, firstByteMs }),
      );
    });
    request.once('error', reject);
  });
}

const maxHoldMs = 50;
const calls = 20;

/**
 * Measures how long each route blocks the event loop at most: median over 20 calls, after one call that
 * compiles the code.
 */
async function measureHolds(server: ProbedServer, { largest }: LargeDatabase): Promise<BenchRow[]> {
  const { id, runIds } = largest;
  const run = runIds[Math.floor(runIds.length / 2)];
  const paths = [
    '/experiments?limit=500',
    `/experiments/${id}`,
    `/experiments/${id}/runs?limit=25`,
    `/experiments/${id}/runs?limit=500`,
    `/runs/${run}`,
    `/runs/${run}/raw.json`,
    `/compare?experiments=${id}`,
    `/compare/series?experiments=${id}`,
    `/compare/window?experiments=${id}&from=0&to=1000`,
    `/experiments/${id}/report`,
    `/experiments/${id}/runs.json`,
    `/experiments/${id}/runs.csv`,
    `/experiments/${id}/contrasts.csv`,
    `/experiments/${id}/values.csv`,
    `/experiments/${id}/log?limit=100`,
    '/storage',
    '/testbeds',
  ];
  const rows: BenchRow[] = [];
  for (const path of paths) {
    await server.held();
    const first = await ask(server.url, `/api/v1${path}`);
    const cold = await server.held();
    if (first.status !== 200) throw new Error(`${path}: ${first.status}`);
    // Exports take seconds, so five calls are enough to measure how long each part takes.
    const repeats = first.ms > 3000 ? 5 : calls;
    const holds: number[] = [];
    const cpuHolds: number[] = [];
    const took: number[] = [];
    for (let i = 0; i < repeats; i += 1) {
      await sleep(5);
      await server.held();
      took.push((await ask(server.url, `/api/v1${path}`)).ms);
      const { longestMs, longestCpuMs } = await server.held();
      holds.push(longestMs);
      cpuHolds.push(longestCpuMs);
    }
    const name = path.replace(String(run), 'RUN').replace(`/experiments/${id}`, '/experiments/LARGEST');
    rows.push(
      atMost(`hold, ${name}`, median(holds), { limit: maxHoldMs, unit: 'ms' }),
      figure(`  in CPU time`, median(cpuHolds), 'ms'),
      figure(`  first call / median call, ${(first.bytes / 1e3).toFixed(0)} kB`, median(took), 'ms'),
      figure(`  first call`, first.ms, 'ms'),
      figure('  hold of the first call without caches, in CPU time', cold.longestCpuMs, 'ms'),
    );
    if (!values.json) for (const line of formatRows(rows.slice(-5)).slice(1)) console.log(line);
  }
  return rows;
}

const viewers = 200;
const perSecond = 500;
/** While code is being compiled, requests are sent but not measured. */
const warmUpMs = 5000;

/** Requests the responses that the server computes and stores when an experiment ends. */
async function prepareUsual(server: ProbedServer, { usual }: LargeDatabase): Promise<BenchRow[]> {
  await server.held();
  const took: number[] = [];
  for (const { id } of usual) {
    await ask(server.url, `/api/v1/compare?experiments=${id}`);
    took.push((await ask(server.url, `/api/v1/experiments/${id}/report`)).ms);
  }
  const { processCpuMs } = await server.held();
  return [
    figure(`first report of each of ${usual.length} experiments, median`, median(took), 'ms'),
    figure('mean CPU time of a first report and comparison', processCpuMs / usual.length, 'ms'),
  ];
}

/** Simulates 200 viewers and 500 requests/s with a typical mix on experiments of 24 to 200 runs. */
async function measureLoad(server: ProbedServer, made: LargeDatabase): Promise<BenchRow[]> {
  const { usual } = made;
  const prepared = values.cold ? [] : await prepareUsual(server, made);
  const sockets = Array.from(
    { length: viewers },
    () => new WebSocket(new URL(liveSocketPath, server.url.replace('http', 'ws'))),
  );
  await Promise.all(
    sockets.map(
      (socket) => new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject)),
    ),
  );
  let turn = 0;
  const pick = <T>(from: readonly T[]): T => {
    turn = (turn * 1103515245 + 12345) % 2147483648;
    // The low bits of this generator have a short period.
    return from[Math.floor(turn / 65536) % from.length]!;
  };
  const kinds = {
    list: {
      share: 50,
      path: () =>
        pick([0, 1]) === 0 ? '/experiments?limit=25' : `/experiments/${pick(usual).id}/runs?limit=25`,
    },
    run: { share: 25, path: () => `/runs/${pick(pick(usual).runIds)}` },
    compare: { share: 15, path: () => `/compare?experiments=${pick(usual).id}` },
    live: { share: 9, path: () => `/experiments/${pick(usual).id}` },
    report: { share: 1, path: () => `/experiments/${pick(usual).id}/report` },
  };
  const order = Object.entries(kinds).flatMap(([kind, { share }]) => Array<string>(share).fill(kind));
  const taken: Record<string, number[]> = Object.fromEntries(
    [...Object.keys(kinds), 'livez'].map((kind) => [kind, []]),
  );
  const failed: string[] = [];
  const waiting = new Set<Promise<void>>();
  let sent = 0;
  let isWarm = false;
  const send = (kind: string, path: string): void => {
    sent += 1;
    const asked = ask(server.url, path)
      .then(({ status, ms }) => {
        if (status === 200 && isWarm) taken[kind]?.push(ms);
        else if (status !== 200) failed.push(`${kind} ${status}`);
      })
      .catch((error: Error) => void failed.push(`${kind} ${error.message}`))
      .finally(() => waiting.delete(asked));
    waiting.add(asked);
  };
  await server.held();
  const startedAt = performance.now();
  const lengthMs = Number(values.seconds) * 1000;
  for (let due = 0, live = 0; ; ) {
    const now = performance.now() - startedAt;
    if (now > lengthMs) break;
    if (!isWarm && now > warmUpMs) {
      isWarm = true;
      await server.held();
    }
    for (; due < (now / 1000) * perSecond; due += 1) {
      const kind = pick(order);
      send(kind, `/api/v1${kinds[kind as keyof typeof kinds].path()}`);
    }
    for (; live < now / 100; live += 1) send('livez', '/livez');
    await sleep(2);
  }
  const answeredInTime = sent - waiting.size;
  await Promise.race([Promise.all(waiting), sleep(60_000)]);
  const held = await server.held();
  for (const socket of sockets) socket.terminate();
  const quantile = (list: readonly number[], q: number) =>
    list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))] ?? Number.NaN;
  const all = Object.entries(taken).flatMap(([kind, list]) => (kind === 'livez' ? [] : list));
  return [
    ...prepared,
    atMost('load: all requests, p95', quantile(all, 0.95), { limit: 200, unit: 'ms' }),
    figure('load: all requests, p50', quantile(all, 0.5), 'ms'),
    atMost('load: /livez, p95', quantile(taken.livez ?? [], 0.95), { limit: 50, unit: 'ms' }),
    ...Object.keys(kinds).map((kind) =>
      figure(`load: ${kind}, p95`, quantile(taken[kind] ?? [], 0.95), 'ms'),
    ),
    figure(`load: requests sent`, sent, ''),
    figure('load: answered while requests were sent', answeredInTime, ''),
    figure('load: never answered or failed', failed.length + waiting.size, ''),
    figure('load: longest hold', held.longestMs, 'ms'),
    figure(
      'load: CPU time of the main thread per request',
      held.threadCpuMs / (sent * (1 - warmUpMs / lengthMs)),
      'ms',
    ),
    figure(
      'load: CPU time of the process per request',
      held.processCpuMs / (sent * (1 - warmUpMs / lengthMs)),
      'ms',
    ),
  ];
}

/** The report process has exited by now. */
const idleMs = 15_000;
const maxExtraMb = 100;

/**
 * Measures the memory of all processes, and the time to the first byte, for exports of the largest
 * experiment.
 */
async function measureBundle(server: ProbedServer, { largest }: LargeDatabase): Promise<BenchRow[]> {
  const { id, runs } = largest;
  const takeAway = async (name: string, path: string): Promise<BenchRow[]> => {
    server.memory();
    await sleep(200);
    const before = server.memory();
    await server.held();
    const { ms, firstByteMs, bytes, status } = await ask(server.url, `/api/v1/experiments/${id}/${path}`);
    if (status !== 200) throw new Error(`${name}: ${status}`);
    const held = await server.held();
    const most = server.memory();
    await sleep(idleMs);
    server.memory();
    await sleep(200);
    const after = server.memory();
    return [
      atMost(`${name}: extra memory, ${runs} runs`, most.onceMb - before.onceMb, {
        limit: maxExtraMb,
        unit: 'MB',
      }),
      figure('  shared pages counted for each process', most.rssMb - before.rssMb, 'MB'),
      figure(`${name}: memory before`, before.onceMb, 'MB'),
      figure(`${name}: memory ${idleMs / 1000} s after`, after.onceMb, 'MB'),
      atMost(`${name}: longest hold`, held.longestMs, { limit: maxHoldMs, unit: 'ms' }),
      figure(`${name}: longest hold in CPU time`, held.longestCpuMs, 'ms'),
      figure(`${name}: first byte after`, firstByteMs / 1000, 's'),
      figure(`${name}: complete after`, ms / 1000, 's'),
      figure(`${name}: CPU time`, held.processCpuMs / 1000, 's'),
      figure(`${name}: size`, bytes / 1e6, 'MB'),
    ];
  };
  return [
    ...(await takeAway('bundle with a new report', 'bundle.zip')),
    ...(await takeAway('report', 'report')),
    // A server computes the report when an experiment ends.
    ...(await takeAway('bundle', 'bundle.zip')),
    ...(await takeAway('stored report', 'report')),
    ...(await takeAway('report.html', 'report.html')),
    ...(await takeAway('runs.json', 'runs.json')),
    ...(await takeAway('runs.csv', 'runs.csv')),
    ...(await takeAway('values.parquet', 'values.parquet')),
  ];
}

/** Deletes the answers stored by an earlier call. */
function forgetAnswers(folder: string): void {
  const database = new DatabaseSync(join(folder, 'mqttlab.db'));
  database.exec('DELETE FROM stored_answers');
  database.close();
}

/** Fills the folder unless an earlier call has filled it. */
function prepare(folder: string): LargeDatabase {
  const note = join(folder, 'bench.json');
  try {
    return JSON.parse(readFileSync(note, 'utf8'));
  } catch {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const made = fillLarge(folder, { runs: Number(values.runs), largest: Number(values.largest) });
    writeFileSync(note, JSON.stringify(made));
    return made;
  }
}

if (values.help) console.log(usage);
else {
  const folder = values.data ?? mkdtempSync(join(tmpdir(), 'mqttlab-bench-large-'));
  const made = prepare(folder);
  forgetAnswers(folder);
  const server = new ProbedServer(folder, values.server);
  const parts = { load: measureLoad, holds: measureHolds, bundle: measureBundle };
  const rows: BenchRow[] = [];
  try {
    await server.start();
    for (const [name, measure] of Object.entries(parts)) {
      if (values.only.split(',').includes(name)) rows.push(...(await measure(server, made)));
    }
  } finally {
    await server.stop();
    agent.destroy();
    if (values.data === undefined) rmSync(folder, { recursive: true, force: true });
  }
  if (values.json) console.log(JSON.stringify(rows));
  else for (const line of formatRows(rows)) console.log(line);
  process.exitCode = rows.some(({ met }) => met === false) ? 1 : 0;
}
