import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { type BenchRow, makeRow } from '@mqttlab/shared/testing/bench';
import { makeTestCertificates, type TestCertificates } from '../src/testing/certificates.ts';
import { BenchBroker } from './bench-broker.ts';
import { LoadRun, makeBenchSpec } from './load-run.ts';

const many = 500;
const settleMs = 2_000;

const tls = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_128_GCM_SHA256',
  group: 'X25519',
  certificate: 'ECDSA P-256',
} as const;

/** Measures the private memory that a load worker needs per connection: 500 connections compared with one. */
export async function benchConnectionMemory(): Promise<BenchRow[]> {
  const certificates = makeTestCertificates('ECDSA P-256');
  const rows: BenchRow[] = [];
  for (const { name, level, most } of [
    { name: 'plain', level: {}, most: 60 },
    { name: 'TLS 1.3', level: tls, most: 160 },
  ]) {
    const broker = await new BenchBroker().start(name === 'plain' ? undefined : certificates);
    try {
      for (const role of ['publisher', 'subscriber'] as const) {
        const load = { broker, role, level, certificates };
        const one = await measureBytes(load, 1);
        const all = await measureBytes(load, many);
        const value = (all - one) / (many - 1) / 1024;
        const text = `memory of a ${role}'s connection, ${name}`;
        rows.push(makeRow({ name: text, value, unit: 'KiB', atMost: most }));
      }
    } finally {
      await broker.stop();
    }
  }
  return rows;
}

interface Load {
  broker: BenchBroker;
  role: 'publisher' | 'subscriber';
  level: Partial<TrialSpec>;
  certificates: TestCertificates;
}

/** Measures under a light load at QoS 1, so that every connection has sent or received a message. */
async function measureBytes(
  { broker, role, level, certificates }: Load,
  connections: number,
): Promise<number> {
  const spec = makeBenchSpec({
    ...level,
    qos: 1,
    readingsPerSecond: 2,
    publishers: role === 'publisher' ? connections : 1,
    subscribers: role === 'subscriber' ? connections : 1,
    measureMs: 30_000,
  });
  const tls = level.security === undefined ? {} : { certificates };
  const run = new LoadRun({ port: broker.port, role, spec, ...tls });
  const other = new LoadRun({ port: broker.port, role: 'publisher', spec, ...tls });
  try {
    await run.connect();
    await run.measure();
    if (role === 'subscriber') {
      await other.connect();
      await other.measure();
    }
    await wait(settleMs);
    return readPrivateBytes(run.worker.pid ?? 0);
  } finally {
    await run.worker.stop();
    await other.worker.stop();
  }
}

/** Returns the size of pages that no other process shares (proc_pid_smaps(5)). */
function readPrivateBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return of('Private_Clean') + of('Private_Dirty');
}
