import { expect, it, onTestFinished } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { makeStart } from './testing/play-trial.ts';
import { startTestBroker } from './testing/test-broker.ts';
import { makeWorker, openWorker } from './testing/worker-bench.ts';

it('reports the progress of a trial', async () => {
  const broker = await startTestBroker();
  onTestFinished(() => broker.stop());
  const load = { readingsPerSecond: 500, warmUpMs: 600, measureMs: 1_700, window: 1_000 };
  const spec = makeTestSpec({ ...load, qos: 2, topic: 'processes' });
  const trial = { spec, port: broker.port, offsetUs: -7e6 };
  const [publisher, subscriber] = [makeWorker(), makeWorker()];
  await Promise.all([
    openWorker(subscriber.worker, trial, 'subscriber'),
    openWorker(publisher.worker, trial, 'publisher'),
  ]);
  const at = makeStart(trial);
  await subscriber.worker.startLoad(at);
  await publisher.worker.startLoad(at);
  const sent = await publisher.worker.drain(null);
  await subscriber.worker.drain(sent.messages);
  const last = subscriber.progress.at(-1);
  expect(last).toMatchObject({ role: 'subscriber', late: 0 });
  expect(last?.messagesPerSecond).toBeGreaterThan(250);
  expect(last?.wireBytesPerSecond).toBeGreaterThan(250 * 64);
  expect(last?.latencyMs?.p50).toBeGreaterThan(0);
  // A short run: buckets of a tenth of a second, in order, each within the measured time.
  const bucketsSoFar = () => subscriber.progress.flatMap((frame) => frame.buckets ?? []);
  // Up to the end, which is between two seconds; the last frame may follow the answer to the drain.
  await expect.poll(() => bucketsSoFar().at(-1)?.atMs).toBeGreaterThan(1_690);
  const buckets = bucketsSoFar();
  expect(buckets.length).toBeGreaterThan(15);
  expect(buckets.map(({ atMs }) => atMs)).toEqual(buckets.map(({ atMs }) => atMs).sort((a, b) => a - b));
  expect(buckets.every(({ atMs, p5, p95 }) => atMs > 0 && p5 <= p95)).toBe(true);
  expect(publisher.progress.flatMap((frame) => frame.buckets ?? [])).toEqual([]);
});
