import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import { WireTap } from '../tls/testing/wire-tap.ts';
import { LoadWorkerProcess } from './load-worker-process.ts';
import { makeStart } from './testing/play-trial.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';
import { makeWorker, openWorker } from './testing/worker-bench.ts';

function isAlive(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('LoadWorkerProcess', () => {
  let broker: TestBroker;
  beforeAll(async () => {
    broker = await startTestBroker();
  });
  afterAll(() => broker.stop());

  it('plays a trial in two processes', async () => {
    const load = { readingsPerSecond: 500, warmUpMs: 100, measureMs: 500, window: 1_000 };
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
    const received = await subscriber.worker.drain(sent.messages);
    expect([sent, received]).toEqual(Array(2).fill({ messages: 250, timedOut: false }));
    const results = [await publisher.worker.finish(), await subscriber.worker.finish()];
    expect(results.map(({ counters }) => counters?.sent)).toEqual([250, 0]);
    expect(results.map(({ counters }) => counters?.received)).toEqual([0, 250]);
    expect(publisher.phases.filter((phase) => !phase.startsWith('>'))).toEqual(
      results[0]?.phases.map(({ phase }) => phase),
    );
    await Promise.all([publisher.worker.stop(), subscriber.worker.stop()]);
    expect([publisher.worker, subscriber.worker].map(({ pid }) => isAlive(pid))).toEqual([false, false]);
    expect([...publisher.failures, ...subscriber.failures]).toEqual([]);
  });

  it('can finish during the load, with the available figures', async () => {
    const spec = makeTestSpec({
      readingsPerSecond: 500,
      warmUpMs: 0,
      measureMs: 60_000,
      window: 1_000,
      topic: 'cut short',
    });
    const trial = { spec, port: broker.port };
    const { worker, progress } = makeWorker();
    await openWorker(worker, trial, 'publisher');
    await worker.startLoad(makeStart(trial, 0));
    await expect.poll(() => progress.at(-1)?.messages ?? 0).toBeGreaterThan(0);
    const { counters, phases } = await worker.finish();
    expect(counters?.sent).toBeGreaterThan(0);
    expect(phases.at(-1)?.phase).toBe('disconnect');
  });

  it('reports how the worker died, and rejects its requests', async () => {
    const spec = makeTestSpec({ measureMs: 60_000 });
    const trial = { spec, port: broker.port };
    const { worker, failures } = makeWorker();
    await openWorker(worker, trial, 'publisher');
    await worker.startLoad(makeStart(trial));
    const drained = worker.drain(null);
    process.kill(worker.pid ?? 0, 'SIGKILL');
    await expect(drained).rejects.toThrow(/signal SIGKILL/);
    expect(failures).toMatchObject([
      { code: 'load-worker', message: expect.stringContaining('signal SIGKILL') },
    ]);
    await expect(worker.finish()).rejects.toThrow(/no load worker/);
    await worker.stop();
  });

  it('reports a connection that is lost during the run, and still has figures', async () => {
    const tap = new WireTap(broker.port);
    await tap.start();
    onTestFinished(() => tap.stop());
    const spec = makeTestSpec({ measureMs: 60_000, warmUpMs: 0, publishers: 2, topic: 'cut' });
    const trial = { spec, port: tap.port };
    const { worker, failures } = makeWorker();
    await openWorker(worker, trial, 'publisher');
    const startedAt = performance.now();
    await worker.startLoad(makeStart(trial, 0));
    await expect.poll(() => tap.bytesFromClient).toBeGreaterThan(5_000);
    tap.cut();
    await expect.poll(() => failures.length).toBe(2);
    // 200 messages a second of two publishers each.
    const dueAtCut = 0.4 * (performance.now() - startedAt);
    await wait(500);
    expect(failures[0]).toMatchObject({ code: 'connection-lost' });
    expect(failures[0]?.message).toMatch(/ended during the run/);
    expect(new Set(failures.map(({ message }) => message)).size).toBe(2);
    const { counters } = await worker.finish();
    expect(counters?.sent).toBeGreaterThan(0);
    // Nothing is sent after the cut.
    expect(counters?.sent).toBeLessThanOrEqual(dueAtCut + 2);
  });

  it('reports the reason of the broker when it ends the connection', async () => {
    const own = await startTestBroker();
    onTestFinished(() => own.stop());
    const spec = makeTestSpec({ mqttVersion: '5.0', measureMs: 60_000 });
    const { worker, failures } = makeWorker();
    await openWorker(worker, { spec, port: own.port }, 'subscriber');
    process.kill(own.pid, 'SIGTERM');
    await expect.poll(() => failures.length).toBeGreaterThan(0);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toMatch(/server shutting down|no reason given/);
  });

  it('leaves no process, whenever it is stopped', async () => {
    const early = makeWorker();
    const starting = early.worker.start().catch(() => {});
    await early.worker.stop();
    await starting;
    expect(isAlive(early.worker.pid)).toBe(false);
    await early.worker.stop();
    const never = makeWorker();
    await never.worker.stop();
    await never.worker.start();
    expect(never.worker.pid).toBeNull();
    expect([...early.failures, ...never.failures]).toEqual([]);
  });

  it('refuses requests in the wrong order', async () => {
    const { worker } = makeWorker();
    await expect(worker.connect()).rejects.toThrow(/no load worker/);
    await worker.start();
    await expect(worker.connect()).rejects.toThrow(/before prepare/);
  });

  it('reports that it did not start in time, not how it was killed for that', async () => {
    const worker = new LoadWorkerProcess({
      entry: { execPath: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
      startTimeoutMs: 300,
      onProgress: () => undefined,
      onPhase: () => undefined,
      onFailure: () => undefined,
      onLog: () => undefined,
    });
    onTestFinished(() => worker.stop());
    await expect(worker.start()).rejects.toThrow('it did not start within 0.3 s');
  });

  it('reports why a program cannot be started', async () => {
    const worker = new LoadWorkerProcess({
      entry: { execPath: '/no/such/program', args: [] },
      onProgress: () => {},
      onPhase: () => {},
      onFailure: () => {},
      onLog: () => {},
    });
    await expect(worker.start()).rejects.toThrow(/could not be started.*ENOENT/);
    await worker.stop();
  });
});
