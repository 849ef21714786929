import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { type BenchRow, makeRow, median } from '@mqttlab/shared/testing/bench';
import { BenchBroker } from './bench-broker.ts';
import { readCpuUs } from './cpu-clock.ts';
import { LoadRun, makeBenchSpec } from './load-run.ts';

const loadMs = 3_000;
const settleMs = 300;

/**
 * Compares the CPU time per received message with that of mosquitto_sub under the same load in the same run;
 * reports medians.
 */
export async function benchSubscriber(repetitions: number): Promise<BenchRow[]> {
  const broker = await new BenchBroker().start();
  try {
    const rows: BenchRow[] = [];
    for (const load of loads) rows.push(await compare(broker.port, load, repetitions));
    return rows;
  } finally {
    await broker.stop();
  }
}

/** Readings per second from the only publisher; null for as fast as a window of 1000 allows. */
const loads: readonly Load[] = [
  { rate: null, qos: 1 },
  { rate: 10_000, qos: 0 },
  { rate: 10_000, qos: 1 },
  { rate: 1_000, qos: 0 },
];

interface Load {
  rate: number | null;
  qos: 0 | 1;
}

async function compare(port: number, load: Load, repetitions: number): Promise<BenchRow> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < repetitions; i += 1) {
    theirs.push(await underLoad(port, load, startMosquittoSub));
    ours.push(await underLoad(port, load, startSubscriber));
  }
  return makeRow({
    name: `subscribe 100 B, QoS ${load.qos}, ${load.rate === null ? 'flat out' : `${load.rate} msg/s`}`,
    value: median(ours),
    unit: 'µs CPU/message',
    beside: { program: 'mosquitto_sub', reference: median(theirs) },
    atMost: 1.2,
  });
}

interface Receiver {
  pid: number;
  stop: () => Promise<void>;
}

type StartReceiver = (port: number, load: Load) => Promise<Receiver>;

/** Returns the CPU time per message, from before the first message to after the last. */
async function underLoad(port: number, load: Load, start: StartReceiver): Promise<number> {
  const receiver = await start(port, load);
  const spec = makeBenchSpec({ qos: load.qos, readingsPerSecond: load.rate, warmUpMs: 0, measureMs: loadMs });
  const publisher = new LoadRun({ port, role: 'publisher', spec });
  try {
    await publisher.connect();
    const beforeUs = readCpuUs(receiver.pid);
    await publisher.measure();
    const { counters } = await publisher.finish();
    await wait(settleMs);
    return (readCpuUs(receiver.pid) - beforeUs) / (counters?.sent ?? 0);
  } finally {
    await publisher.worker.stop();
    await receiver.stop();
  }
}

const startMosquittoSub: StartReceiver = async (port, { qos }) => {
  const args = ['-h', '127.0.0.1', '-p', String(port), '-t', 'bench/readings', '-q', String(qos)];
  const child = spawn('mosquitto_sub', args, { stdio: 'ignore' });
  const gone = new Promise((resolve) => child.once('close', resolve));
  if (child.pid === undefined) throw new Error('mosquitto_sub is not installed');
  await wait(300);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await gone;
  };
  return { pid: child.pid, stop };
};

const startSubscriber: StartReceiver = async (port, { rate, qos }) => {
  const spec = makeBenchSpec({ qos, readingsPerSecond: rate, warmUpMs: 0, measureMs: 60_000 });
  const run = new LoadRun({ port, role: 'subscriber', spec });
  await run.connect();
  await run.measure();
  return { pid: run.worker.pid ?? 0, stop: () => run.worker.stop() };
};
