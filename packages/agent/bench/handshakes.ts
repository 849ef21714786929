import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { type BenchRow, makeRow, median } from '@mqttlab/shared/testing/bench';
import { makeTestCertificates, type TestCertificates } from '../src/testing/certificates.ts';
import { BenchBroker } from './bench-broker.ts';
import { readCpuUs } from './cpu-clock.ts';
import { LoadRun, makeBenchSpec, measurePhase } from './load-run.ts';

const seconds = 3;

interface Case {
  name: string;
  level: Partial<TrialSpec>;
  /**
   * TLS versions for openssl s_time(1). It cannot resume TLS 1.3, because the ticket arrives after it has
   * closed the connection.
   */
  reference: readonly string[] | null;
}

const tls12 = {
  security: 'TLS 1.2',
  cipherSuite: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  group: 'X25519',
  certificate: 'ECDSA P-256',
} as const;
const tls13 = { ...tls12, security: 'TLS 1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256' } as const;
const version12 = ['-tls1_2', '-cipher', tls12.cipherSuite];
const version13 = ['-tls1_3', '-ciphersuites', tls13.cipherSuite];

const cases: readonly Case[] = [
  { name: 'TLS 1.2, full', level: { ...tls12, session: 'full' }, reference: [...version12, '-new'] },
  { name: 'TLS 1.2, resumed', level: { ...tls12, session: 'resumed' }, reference: [...version12, '-reuse'] },
  { name: 'TLS 1.3, full', level: { ...tls13, session: 'full' }, reference: [...version13, '-new'] },
  { name: 'TLS 1.3, resumed', level: { ...tls13, session: 'resumed' }, reference: null },
];

interface Figures {
  perSecond: number;
  cpuUs: number;
}

/**
 * Opens and closes connections one after the other, compared with `openssl s_time` against the same
 * Mosquitto. Unlike s_time, the agent uses MQTT and waits until the broker has closed each connection.
 */
export async function benchHandshakes(repetitions: number): Promise<BenchRow[]> {
  const certificates = makeTestCertificates('ECDSA P-256');
  const broker = await new BenchBroker().start(certificates);
  try {
    const rows: BenchRow[] = [];
    for (const one of cases) rows.push(...(await compare(one, { broker, certificates, repetitions })));
    return rows;
  } finally {
    await broker.stop();
  }
}

async function compare(
  { name, level, reference }: Case,
  {
    broker,
    certificates,
    repetitions,
  }: { broker: BenchBroker; certificates: TestCertificates; repetitions: number },
): Promise<BenchRow[]> {
  const ours: Figures[] = [];
  const theirs: Figures[] = [];
  for (let i = 0; i < repetitions; i += 1) {
    if (reference !== null) theirs.push(await runOpenssl(broker.port, reference));
    ours.push(await runWorker(broker.port, { level, certificates }));
  }
  const row = (what: string, unit: string, pick: (figures: Figures) => number): BenchRow => {
    const value = median(ours.map(pick));
    const measured = { name: `handshake ${name}: ${what}`, value, unit };
    if (theirs.length === 0) return makeRow(measured);
    const beside = { program: 'openssl s_time', reference: median(theirs.map(pick)) };
    return makeRow({ ...measured, beside });
  };
  return [row('rate', '1/s', ({ perSecond }) => perSecond), row('CPU', 'µs/handshake', ({ cpuUs }) => cpuUs)];
}

async function runWorker(
  port: number,
  { level, certificates }: { level: Partial<TrialSpec>; certificates: TestCertificates },
): Promise<Figures> {
  const spec = makeBenchSpec({
    ...level,
    workload: 'handshake',
    connections: 100_000,
    warmUpMs: 500,
    measureMs: seconds * 1000,
  });
  const run = new LoadRun({ port, role: 'publisher', spec, certificates });
  await run.connect();
  await run.measure();
  const result = await run.finish();
  const { cpuUs, durationUs } = measurePhase(result);
  const opened = result.counters?.connectionsOpened ?? 0;
  if (result.degraded.length > 0) throw new Error(result.degraded[0]?.reason);
  return { perSecond: opened / (durationUs / 1e6), cpuUs: (cpuUs ?? Number.NaN) / opened };
}

/**
 * Returns the CPU time of the entire process, including loading, which takes a few ms out of several seconds.
 */
async function runOpenssl(port: number, args: readonly string[]): Promise<Figures> {
  const child = spawn('openssl', [
    's_time',
    '-connect',
    `127.0.0.1:${port}`,
    '-time',
    String(seconds),
    ...args,
  ]);
  let words = '';
  let cpuUs = 0;
  let running = true;
  child.stdout.on('data', (data: Buffer) => {
    words += data.toString();
  });
  const gone = new Promise<void>((resolve) =>
    child.once('close', () => {
      running = false;
      resolve();
    }),
  );
  while (running && child.pid !== undefined) {
    try {
      cpuUs = readCpuUs(child.pid);
    } catch {
      // The process exited between two samples.
    }
    await Promise.race([gone, wait(20)]);
  }
  // For example "1234 connections in 3 real seconds". With -reuse, the line is printed once, after the first
  // connection.
  const [, connections, realSeconds] = /(\d+) connections in (\d+) real seconds/.exec(words) ?? [];
  if (connections === undefined) throw new Error(`openssl s_time said: ${words}`);
  return { perSecond: Number(connections) / Number(realSeconds), cpuUs: cpuUs / Number(connections) };
}
