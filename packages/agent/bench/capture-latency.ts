import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { type BenchRow, makeRow } from '@mqttlab/shared/testing/bench';
import { within } from '@mqttlab/shared/testing/within';
import { makeStamp, readStamp } from '../src/payload/stamp.ts';
import { BenchBroker } from './bench-broker.ts';
import { LoadRun, makeBenchSpec } from './load-run.ts';

const captureStartMs = 20_000;
const captureStopMs = 5_000;
const readMs = 120_000;
const perSecond = 500;
const measureMs = 10_000;
/** Maximum difference between recorded and captured latency, in ms. */
const limits = { 50: 0.1, 99: 0.5 } as const;

/**
 * Compares recorded latency with a packet capture of the same messages on the loopback interface. Captured
 * latency is the time between the publisher's PUBLISH and the PUBLISH to the subscriber, matched by stamp.
 * The difference consists of lateness and the path between socket and program. Other work on the machine
 * increases both, so the quietest repetition counts.
 */
export async function benchCaptureLatency(repetitions: number): Promise<BenchRow[]> {
  const runs: Compared[] = [];
  for (let i = 0; i < repetitions; i += 1) runs.push(await compareOnce());
  const [best] = runs.toSorted((a, b) => differenceMs(a, 99) - differenceMs(b, 99));
  if (best === undefined) throw new Error('No repetitions');
  return ([50, 99] as const).map((percent) => {
    const [ours, theirs] = [best.recorded, best.captured].map((of) => atMs(of, percent).toFixed(3));
    const name = `latency P${percent}, ${ours} ms recorded, ${theirs} ms captured: difference`;
    return makeRow({ name, value: differenceMs(best, percent), unit: 'ms', atMost: limits[percent] });
  });
}

interface Compared {
  recorded: LatencyHistogram;
  captured: LatencyHistogram;
}

function atMs(histogram: LatencyHistogram, percent: number): number {
  return (histogram.percentile(percent) ?? Number.NaN) / 1000;
}

function differenceMs({ recorded, captured }: Compared, percent: number): number {
  return Math.abs(atMs(recorded, percent) - atMs(captured, percent));
}

async function compareOnce(): Promise<Compared> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-bench-capture-'));
  const file = join(folder, 'lo.pcapng');
  const broker = await new BenchBroker().start();
  try {
    const capture = await startCapture(file, broker.port);
    const recorded = await playMessages(broker.port);
    // tshark buffers its output; packets in its buffers are lost when it is stopped.
    await wait(1_500);
    await stopCapture(capture);
    const captured = await readLatencies(file, broker.port);
    if (captured.count < 0.99 * recorded.count) {
      throw new Error(`The capture contains only ${captured.count} of ${recorded.count} messages`);
    }
    return { recorded, captured };
  } finally {
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function playMessages(port: number): Promise<LatencyHistogram> {
  const spec = makeBenchSpec({ readingsPerSecond: perSecond, measureMs, warmUpMs: 2_000 });
  const publisher = new LoadRun({ port, role: 'publisher', spec });
  const subscriber = new LoadRun({ port, role: 'subscriber', spec });
  await subscriber.connect();
  await publisher.connect();
  await Promise.all([subscriber.measure(), publisher.measure()]);
  const { messages } = await publisher.finish();
  return LatencyHistogram.fromJson((await subscriber.finish(messages)).latency);
}

/** Resolves when tshark is writing packets. */
async function startCapture(file: string, port: number): Promise<ChildProcess> {
  const child = spawn('tshark', ['-i', 'lo', '-f', `tcp port ${port}`, '-B', '64', '-q', '-w', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  const started = new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (data: Buffer) => {
      words += data.toString();
      if (/Capture started|File: /.test(words)) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`tshark ended: ${words}`)));
  });
  try {
    await within(captureStartMs, 'tshark begins to capture', started);
    return child;
  } catch (error) {
    await stopCapture(child);
    throw new Error(`${(error as Error).message}; its output: ${words.trim() || 'none'}`);
  }
}

async function stopCapture(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), captureStopMs);
  await gone;
  clearTimeout(killTimer);
  // A child of tshark can keep the pipe open, and therefore this process running.
  child.stderr?.destroy();
}

/** Returns the time from the first to the second PUBLISH with the same stamp, for each measured message. */
async function readLatencies(file: string, port: number): Promise<LatencyHistogram> {
  const fields = ['frame.time_epoch', 'tcp.dstport', 'mqtt.msg'].flatMap((field) => ['-e', field]);
  const args = [
    '-r',
    file,
    '-n',
    '-d',
    `tcp.port==${port},mqtt`,
    '-Y',
    'mqtt.msgtype == 3',
    '-T',
    'fields',
    ...fields,
  ];
  const { stdout } = await promisify(execFile)('tshark', args, { maxBuffer: 1 << 28, timeout: readMs });
  const sentAt = new Map<number, number>();
  const latencies = new LatencyHistogram();
  for (const line of stdout.split('\n').filter(Boolean)) {
    const [time = '', target, messages = ''] = line.split('\t');
    // Unix time in µs with a fraction. Only the last digits matter, and they fit in a double.
    const atUs = Number(time.slice(-16)) * 1e6;
    for (const hex of messages.split(',')) {
      const payload = Buffer.from(hex.replaceAll(':', ''), 'hex');
      const stamp = makeStamp();
      const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
      if (!readStamp(view, 0, stamp) || !stamp.measured) continue;
      if (Number(target) === port) sentAt.set(stamp.sequence, atUs);
      else if (sentAt.has(stamp.sequence)) latencies.record(atUs - (sentAt.get(stamp.sequence) ?? atUs));
    }
  }
  return latencies;
}
