import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { type BenchRow, makeRow, median } from '@mqttlab/shared/testing/bench';
import { BenchBroker } from './bench-broker.ts';
import { readCpuUs } from './cpu-clock.ts';
import { LoadRun, makeBenchSpec, measurePhase } from './load-run.ts';

const payloadBytes = 100;
const referenceMessages = 200_000;

/**
 * Compares the CPU time per message at maximum rate with that of mosquitto_pub in the same run; reports
 * medians.
 */
export async function benchGenerator(repetitions: number): Promise<BenchRow[]> {
  const broker = await new BenchBroker().start();
  try {
    const figures = { qos0: [] as number[], qos1: [] as number[], mosquitto: [] as number[] };
    for (let i = 0; i < repetitions; i += 1) {
      figures.mosquitto.push(await measureMosquittoPub(broker.port));
      figures.qos0.push(await measureGenerator(broker.port, 0));
      figures.qos1.push(await measureGenerator(broker.port, 1));
    }
    const unit = 'µs CPU/message';
    const reference = median(figures.mosquitto);
    return [
      makeRow({
        name: 'publish 100 B, QoS 0, flat out',
        value: median(figures.qos0),
        unit,
        beside: { program: 'mosquitto_pub -l', reference },
        atMost: 0.5,
      }),
      makeRow({
        name: 'publish 100 B, QoS 1, window 1000, flat out',
        value: median(figures.qos1),
        unit,
        atMost: 3,
      }),
    ];
  } finally {
    await broker.stop();
  }
}

async function measureGenerator(port: number, qos: 0 | 1): Promise<number> {
  const run = new LoadRun({ port, role: 'publisher', spec: makeBenchSpec({ qos }) });
  await run.connect();
  await run.measure();
  const result = await run.finish();
  return (measurePhase(result).cpuUs ?? Number.NaN) / (result.counters?.sent ?? 0);
}

/** Reads lines from a pipe, and is measured while it waits for more, so that no CPU time is missed. */
async function measureMosquittoPub(port: number): Promise<number> {
  const args = ['-h', '127.0.0.1', '-p', String(port), '-t', 'bench/readings', '-q', '0', '-l'];
  const child = spawn('mosquitto_pub', args, { stdio: ['pipe', 'ignore', 'ignore'] });
  const gone = new Promise((resolve) => child.once('close', resolve));
  if (child.pid === undefined || child.stdin === null) throw new Error('mosquitto_pub is not installed');
  await wait(100);
  const beforeUs = readCpuUs(child.pid);
  child.stdin.write(`${'x'.repeat(payloadBytes)}\n`.repeat(referenceMessages));
  const cpuUs = (await settled(child.pid, beforeUs + 1)) - beforeUs;
  child.stdin.end();
  await gone;
  return cpuUs / referenceMessages;
}

/** Returns the CPU time of a process once it is idle. */
async function settled(pid: number, atLeastUs: number): Promise<number> {
  let quietTurns = 0;
  let lastUs = 0;
  while (quietTurns < 10 || lastUs < atLeastUs) {
    await wait(50);
    const nowUs = readCpuUs(pid);
    quietTurns = nowUs - lastUs < 200 ? quietTurns + 1 : 0;
    lastUs = nowUs;
  }
  return lastUs;
}
