import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { type BenchRow, figure, makeRow } from '@mqttlab/shared/testing/bench';
import { BenchBroker } from './bench-broker.ts';
import { LoadRun, makeBenchSpec, measurePhase } from './load-run.ts';

const subscribers = 200;
const perSecond = 50;
/** Limits from the verdict "generator kept its schedule". */
const limits = { latenessMs: 5, cpuPercent: 95 };

interface FanOut {
  latenessMs: number;
  latencyMs: number;
  lost: number;
  cpuPercent: number;
}

/**
 * Sends 50 messages/s to 200 subscribers: 10,000 deliveries/s in one worker, with the sender on time. Other
 * work on the machine also delays the sender, so the quietest repetition counts.
 */
export async function benchFanOut(repetitions: number): Promise<BenchRow[]> {
  const broker = await new BenchBroker().start();
  try {
    const runs: FanOut[] = [];
    for (let i = 0; i < repetitions; i += 1) runs.push(await play(broker.port));
    const [best] = runs.toSorted((a, b) => a.latenessMs - b.latenessMs);
    if (best === undefined) throw new Error('No repetitions');
    const name = (what: string) => `${subscribers} subscribers x ${perSecond} msg/s: ${what}`;
    const { latenessMs, latencyMs, lost, cpuPercent } = best;
    const cpu = { name: name('CPU of the subscribers'), value: cpuPercent, unit: '% of a core' };
    return [
      makeRow({ name: name('lateness P99'), value: latenessMs, unit: 'ms', atMost: limits.latenessMs }),
      makeRow({ name: name('lost'), value: lost, unit: 'messages', atMost: 0 }),
      makeRow({ ...cpu, atMost: limits.cpuPercent }),
      figure(name('latency P50'), latencyMs, 'ms'),
    ];
  } finally {
    await broker.stop();
  }
}

async function play(port: number): Promise<FanOut> {
  const spec = makeBenchSpec({ readingsPerSecond: perSecond, subscribers, qos: 1, measureMs: 10_000 });
  const publisher = new LoadRun({ port, role: 'publisher', spec });
  const subscriber = new LoadRun({ port, role: 'subscriber', spec });
  await subscriber.connect();
  await publisher.connect();
  await Promise.all([subscriber.measure(), publisher.measure()]);
  const sent = await publisher.finish();
  const received = await subscriber.finish(sent.messages * subscribers);
  const { cpuUs, durationUs } = measurePhase(received);
  return {
    latenessMs: (LatencyHistogram.fromJson(sent.lateness).percentile(99) ?? Number.NaN) / 1000,
    latencyMs: (LatencyHistogram.fromJson(received.latency).percentile(50) ?? Number.NaN) / 1000,
    lost: sent.messages * subscribers - received.messages,
    cpuPercent: ((cpuUs ?? Number.NaN) / durationUs) * 100,
  };
}
