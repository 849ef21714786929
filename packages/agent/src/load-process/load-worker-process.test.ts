import { setTimeout as wait } from 'node:timers/promises';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { testEntry } from '../testing/entry.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { WireTap } from '../tls/testing/wire-tap.ts';
import { makePrepare, makeStart, type TestTrial } from '../workloads/testing/play-trial.ts';
import { startTestBroker, type TestBroker } from '../workloads/testing/test-broker.ts';
import { LoadWorkerProcess } from './load-worker-process.ts';
import type { LoadProgress } from './worker-messages.ts';

function makeWorker() {
  const progress: LoadProgress[] = [];
  const phases: string[] = [];
  const troubles: RoleFailure[] = [];
  const log: string[] = [];
  const worker = new LoadWorkerProcess({
    entry: { ...testEntry, args: [...testEntry.args, 'load-worker'] },
    onProgress: (frame) => progress.push(frame),
    onPhase: (phase, durationUs) => phases.push(durationUs === null ? `> ${phase}` : phase),
    onTrouble: (failure) => troubles.push(failure),
    onLog: (_level, text) => log.push(text),
  });
  onTestFinished(() => worker.stop());
  return { worker, progress, phases, troubles, log };
}

function isAlive(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 10_000;
  while (!condition() && performance.now() < deadlineMs) await wait(10);
  expect(condition()).toBe(true);
}

async function open(worker: LoadWorkerProcess, trial: TestTrial, role: PrepareClient['role']): Promise<void> {
  await worker.start();
  await worker.prepare(makePrepare(trial, role));
  await worker.connect();
}

describe('LoadWorkerProcess', () => {
  let broker: TestBroker;
  beforeAll(async () => {
    broker = await startTestBroker();
  });
  afterAll(() => broker.stop());

  it('plays a Trial in two processes and tells how it goes', async () => {
    const load = { readingsPerSecond: 500, warmUpMs: 600, measureMs: 1_700, window: 1_000 };
    const spec = makeTestSpec({ ...load, qos: 2, topic: 'processes' });
    const trial = { spec, port: broker.port, offsetUs: -7e6 };
    const [publisher, subscriber] = [makeWorker(), makeWorker()];
    await Promise.all([
      open(subscriber.worker, trial, 'subscriber'),
      open(publisher.worker, trial, 'publisher'),
    ]);
    const at = makeStart(trial);
    await subscriber.worker.startLoad(at);
    await publisher.worker.startLoad(at);
    const sent = await publisher.worker.drain(null);
    const received = await subscriber.worker.drain(sent.messages);
    expect([sent, received]).toEqual(Array(2).fill({ messages: 850, timedOut: false }));
    const results = [await publisher.worker.finish(), await subscriber.worker.finish()];
    expect(results.map(({ counters }) => counters?.sent)).toEqual([850, 0]);
    expect(results.map(({ counters }) => counters?.received)).toEqual([0, 850]);
    expect(publisher.phases.filter((phase) => !phase.startsWith('>'))).toEqual(
      results[0]?.phases.map(({ phase }) => phase),
    );
    const last = subscriber.progress.at(-1);
    expect(last).toMatchObject({ role: 'subscriber', late: 0 });
    expect(last?.messagesPerSecond).toBeGreaterThan(250);
    expect(last?.wireBytesPerSecond).toBeGreaterThan(250 * 64);
    expect(last?.latencyMs?.p50).toBeGreaterThan(0);
    // A short run: its seconds come in tenths, in order, each inside the time that it was measured.
    const buckets = subscriber.progress.flatMap((frame) => frame.buckets ?? []);
    // To the end, which falls between two seconds.
    expect(buckets.at(-1)?.atMs).toBeGreaterThan(1_690);
    expect(buckets.length).toBeGreaterThan(15);
    expect(buckets.map(({ atMs }) => atMs)).toEqual(buckets.map(({ atMs }) => atMs).sort((a, b) => a - b));
    expect(buckets.every(({ atMs, p5, p95 }) => atMs > 0 && p5 <= p95)).toBe(true);
    expect(publisher.progress.flatMap((frame) => frame.buckets ?? [])).toEqual([]);
    await Promise.all([publisher.worker.stop(), subscriber.worker.stop()]);
    expect([publisher.worker, subscriber.worker].map(({ pid }) => isAlive(pid))).toEqual([false, false]);
    expect([...publisher.troubles, ...subscriber.troubles]).toEqual([]);
  });

  it('can finish in the middle of the load, with what there is', async () => {
    const spec = makeTestSpec({
      readingsPerSecond: 500,
      warmUpMs: 0,
      measureMs: 60_000,
      window: 1_000,
      topic: 'cut short',
    });
    const trial = { spec, port: broker.port };
    const { worker } = makeWorker();
    await open(worker, trial, 'publisher');
    await worker.startLoad(makeStart(trial, 0));
    await wait(300);
    const { counters, phases } = await worker.finish();
    expect(counters?.sent).toBeGreaterThan(20);
    expect(phases.at(-1)?.phase).toBe('disconnect');
  });

  it('tells how the worker died, and fails what was asked of it', async () => {
    const spec = makeTestSpec({ measureMs: 60_000 });
    const trial = { spec, port: broker.port };
    const { worker, troubles } = makeWorker();
    await open(worker, trial, 'publisher');
    await worker.startLoad(makeStart(trial));
    const drained = worker.drain(null);
    process.kill(worker.pid ?? 0, 'SIGKILL');
    await expect(drained).rejects.toThrow(/signal SIGKILL/);
    expect(troubles).toMatchObject([
      { code: 'load-worker', message: expect.stringContaining('signal SIGKILL') },
    ]);
    await expect(worker.finish()).rejects.toThrow(/no load worker/);
    await worker.stop();
  });

  it('tells that a connection was cut in mid-run, and still has figures', async () => {
    const tap = new WireTap(broker.port);
    await tap.start();
    onTestFinished(() => tap.stop());
    const spec = makeTestSpec({ measureMs: 60_000, warmUpMs: 0, publishers: 2, topic: 'cut' });
    const trial = { spec, port: tap.port };
    const { worker, troubles } = makeWorker();
    await open(worker, trial, 'publisher');
    await worker.startLoad(makeStart(trial, 0));
    await wait(200);
    tap.cut();
    await until(() => troubles.length === 2);
    await wait(1_500);
    expect(troubles[0]).toMatchObject({ code: 'connection-lost' });
    expect(troubles[0]?.message).toMatch(/ended during the run/);
    expect(new Set(troubles.map(({ message }) => message)).size).toBe(2);
    const { counters } = await worker.finish();
    expect(counters?.sent).toBeGreaterThan(0);
    // 200 a second from two publishers for 0.2 s, and nothing after the cut.
    expect(counters?.sent).toBeLessThan(400);
  });

  it("tells the broker's reason when it ends the connection", async () => {
    const own = await startTestBroker();
    onTestFinished(() => own.stop());
    const spec = makeTestSpec({ mqttVersion: '5.0', measureMs: 60_000 });
    const { worker, troubles } = makeWorker();
    await open(worker, { spec, port: own.port }, 'subscriber');
    process.kill(own.pid, 'SIGTERM');
    await until(() => troubles.length > 0);
    expect(troubles).toHaveLength(1);
    expect(troubles[0]?.message).toMatch(/server shutting down|no reason given/);
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
    expect([...early.troubles, ...never.troubles]).toEqual([]);
  });

  it('refuses requests in the wrong order', async () => {
    const { worker } = makeWorker();
    await expect(worker.connect()).rejects.toThrow(/no load worker/);
    await worker.start();
    await expect(worker.connect()).rejects.toThrow(/before prepare/);
  });

  it('says that it did not start in time, not how it was ended for that', async () => {
    const worker = new LoadWorkerProcess({
      entry: { execPath: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
      startTimeoutMs: 300,
      onProgress: () => undefined,
      onPhase: () => undefined,
      onTrouble: () => undefined,
      onLog: () => undefined,
    });
    onTestFinished(() => worker.stop());
    await expect(worker.start()).rejects.toThrow('it did not start within 0.3 s');
  });

  it('says why a program cannot be started', async () => {
    const worker = new LoadWorkerProcess({
      entry: { execPath: '/no/such/program', args: [] },
      onProgress: () => {},
      onPhase: () => {},
      onTrouble: () => {},
      onLog: () => {},
    });
    await expect(worker.start()).rejects.toThrow(/could not be started.*ENOENT/);
    await worker.stop();
  });
});
