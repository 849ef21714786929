import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { commandOf, descendantsOf } from '@mqttlab/shared/testing/processes';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';

describe('a testbed with real agents, a real broker and real TLS', () => {
  let rig: Rig;
  let life: Life;
  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realAgents: true });
    expect(await life.whenReady(240_000)).toBe(true);
  });
  afterAll(() => rig.remove());

  const draft = (measureMs = 300) =>
    makeTinyDraft({
      workload: makeWorkload({ warmUpMs: 1_500, measureMs, drainTimeoutMs: 3000, window: 100 }),
      repetitions: 1,
    });
  const begin = async (measureMs?: number) => {
    const { id } = addExperiment(life, draft(measureMs));
    await life.scheduler.act(id, 'start');
    return id;
  };
  const statusIs = (id: number, status: string) =>
    eventually(`experiment ${id} ${status}`, () => life.experiments.findExperiment(id)?.status === status);
  const runIs = (id: number, status: string) =>
    eventually(`a run ${status}`, () => life.runs.listRuns(id).find((run) => run.status === status));

  it('passes every pre-flight check and leaves nothing behind', async () => {
    const { plan } = addExperiment(life, draft());
    const { checks } = await life.devices.preflight(plan, new AbortController().signal);
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
    const connections = checks.filter(({ id }) => id.startsWith('connect-'));
    expect(connections.map(({ status }) => status)).toEqual(['passed', 'passed']);
    expect(connections[1]?.evidence).toMatch(/TLSv1.3, TLS_AES_256_GCM_SHA384/);
    const ids = new Set(checks.map(({ id }) => id));
    for (const id of ['agent', 'clock', 'link-lo', 'disk', 'idle', 'energy', 'certificate-ECDSA P-256']) {
      expect(ids).toContain(id);
    }
    expect(life.runs.listUnsettledRuns()).toEqual([]);
    await eventually('no broker', () => descendantsOf(life.agentPid('local-broker') ?? 0).length === 0);
  });

  it('receives the start before the server stores it, so that a slow disk does not delay a run', async () => {
    const update = life.runs.updateRun;
    const slow = vi.spyOn(life.runs, 'updateRun').mockImplementation((runId, change) => {
      update(runId, change);
      if (change.status === 'running') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);
    });
    onTestFinished(() => slow.mockRestore());
    const workload = makeWorkload({ warmUpMs: 3000, measureMs: 300, drainTimeoutMs: 3000, window: 100 });
    const { id } = addExperiment(
      life,
      makeTinyDraft({ workload, repetitions: 1, factors: { security: ['plain'], rate: [200] } }),
    );
    await life.scheduler.act(id, 'start');
    await statusIs(id, 'done');
    expect(life.runs.listRuns(id).map(({ status, failure }) => [status, failure?.message])).toEqual([
      ['done', undefined],
    ]);
  });

  it('cancels a pre-flight without a waiting client', async () => {
    const { plan } = addExperiment(life, draft());
    const leaving = new AbortController();
    const check = life.devices.preflight(plan, leaving.signal);
    await eventually('a broker', () => descendantsOf(life.agentPid('local-broker') ?? 0).length > 0);
    leaving.abort(new Error('the page was closed'));
    await expect(check).rejects.toThrow('the page was closed');
    expect(life.devices.testbeds.findTestbed('local')?.busyWith).toBeNull();
    await eventually('no broker', () => descendantsOf(life.agentPid('local-broker') ?? 0).length === 0);
  });

  it('uses the planned suites and loses nothing at QoS 1', async () => {
    const id = await begin();
    await statusIs(id, 'done');
    const runs = life.runs.listRuns(id);
    expect(runs.map(({ status, failure }) => [status, failure])).toEqual([
      ['done', null],
      ['done', null],
    ]);
    for (const run of runs) {
      const detail = life.runs.findRunDetail(run.id);
      const verdict = (name: string) => run.verdicts.find((entry) => entry.id === name)?.status;
      expect(verdict('negotiated-as-asked')).toBe('passed');
      expect(verdict('nothing-lost')).toBe('passed');
      const published = detail?.results.find(({ role }) => role === 'publisher');
      expect(published?.counters?.sent).toBe(60);
      expect(published?.negotiated?.cipherSuite ?? null).toBe(detail?.treatment.spec.cipherSuite);
      expect(run.metrics['latency.p50']).toBeGreaterThan(0);
      expect(detail?.devices).toEqual({
        broker: 'local-broker',
        publisher: 'local-publisher',
        subscriber: 'local-subscriber',
      });
    }
    expect(life.experiments.findExperimentSummary(id)?.progress).toMatchObject({
      done: 2,
      failed: 0,
      running: 0,
    });
  });

  it('names a broker that was killed during a run, and the queue continues', async () => {
    const id = await begin(2500);
    await runIs(id, 'running');
    const brokers = descendantsOf(life.agentPid('local-broker') ?? 0);
    const broker = brokers.find((pid) => commandOf(pid).includes('mosquitto'));
    if (broker === undefined) throw new Error('there is no broker process');
    process.kill(broker, 'SIGKILL');
    const failed = await runIs(id, 'failed');
    expect(['broker-died', 'connection-lost']).toContain(failed.failure?.code);
    expect(failed.failure?.remedy).not.toBe('');
    await statusIs(id, 'done');
    expect(life.runs.listRuns(id).map(({ status }) => status)).toEqual(['failed', 'done']);
    await life.scheduler.act(id, 'retry-failed');
    await statusIs(id, 'done');
    expect(life.runs.listRuns(id).at(-1)).toMatchObject({ status: 'done', retryOf: failed.id, attempt: 2 });
  });

  it('restarts an agent that was killed during a run, and the queue continues', async () => {
    const id = await begin(2500);
    await runIs(id, 'running');
    const pid = life.agentPid('local-publisher') ?? 0;
    const workers = descendantsOf(pid);
    process.kill(pid, 'SIGKILL');
    const failed = await runIs(id, 'failed');
    expect(failed.failure).toMatchObject({
      code: 'agent-lost',
      message: expect.stringContaining('local-publisher'),
    });
    await statusIs(id, 'done');
    expect(life.runs.listRuns(id).map(({ status }) => status)).toEqual(['failed', 'done']);
    expect(life.agentPid('local-publisher')).not.toBe(pid);
    expect(workers.length).toBeGreaterThan(0);
    expect(workers.filter((worker) => commandOf(worker) !== '')).toEqual([]);
  });

  it('cancels a run immediately and leaves no process of it', async () => {
    // Longer than this test may take.
    const id = await begin(600_000);
    await runIs(id, 'running');
    await life.scheduler.act(id, 'cancel');
    expect(life.runs.listRuns(id).map(({ status }) => status)).toEqual(['cancelled']);
    // The results so far are stored, and the processes have ended.
    const results = life.runs.listRoleResults(life.runs.listRuns(id)[0]?.id ?? 0);
    expect(results.map(({ failure }) => failure?.code)).toEqual(['aborted', 'aborted', 'aborted']);
    const pids = results.map(({ environment }) => Number(environment['process.pid']));
    expect(pids.every((pid) => pid > 1)).toBe(true);
    expect(pids.filter((pid) => commandOf(pid) !== '')).toEqual([]);
  });

  it('leaves no process behind when it stops during a run, and continues at the next start', async () => {
    const id = await begin(2500);
    await runIs(id, 'running');
    const agents = ['local-broker', 'local-publisher', 'local-subscriber'].map(
      (deviceId) => life.agentPid(deviceId) ?? 0,
    );
    const processes = [...agents, ...agents.flatMap(descendantsOf)];
    expect(processes.length).toBeGreaterThanOrEqual(6);
    await life.stop();
    expect(processes.filter((pid) => commandOf(pid) !== '')).toEqual([]);
    life = await rig.start({ realAgents: true });
    await statusIs(id, 'done');
    expect(life.runs.listRuns(id).map(({ status }) => status)).toEqual(['interrupted', 'done', 'done']);
  });
});
