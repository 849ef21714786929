import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from '../run/testing/rig.ts';

let rig: Rig;
let life: Life;
beforeEach(async () => {
  rig = new Rig();
  life = await rig.start();
  expect(await life.whenReady(240_000)).toBe(true);
});
afterEach(() => rig.remove());

describe('a failing run', () => {
  const failing = async (change = {}) => {
    const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1, ...change }));
    await life.scheduler.act(id, 'start');
    return id;
  };
  const ended = (id: number) =>
    eventually('done', () => life.experiments.findExperiment(id)?.status === 'done');
  const firstRun = (id: number) => life.runs.listRuns(id)[0];
  /** A run that stays in its measure phase. */
  const heldRun = async () => {
    rig.loadClock.hold();
    const id = await failing();
    const run = await eventually('running', () => firstRun(id)?.status === 'running' && firstRun(id));
    return { id, run };
  };

  it('fails with the message of the device, tears everything down, and the queue continues', async () => {
    const error = { code: 'port-taken', message: 'Port 1883 is taken.', remedy: 'Stop the other program.' };
    rig.agents.broker.misconduct.set('prepare-broker', { error });
    const id = await failing();
    await eventually('a failure', () => firstRun(id)?.status === 'failed');
    rig.agents.broker.misconduct.clear();
    await ended(id);
    expect(firstRun(id)?.failure).toEqual(error);
    expect(life.runs.listRuns(id).map(({ status }) => status)).toEqual(['failed', 'done']);
  });

  it('is retried as often as the plan allows, at the end of the block', async () => {
    const error = { code: 'connect', message: 'Connection refused.', remedy: 'Look at the broker.' };
    rig.agents.publisher.misconduct.set('connect', { error });
    const id = await failing({ retries: 2 });
    await ended(id);
    expect(life.runs.listRuns(id).map((run) => [run.trialNumber, run.attempt, run.status])).toEqual([
      [1, 1, 'failed'],
      [2, 1, 'failed'],
      [1, 2, 'failed'],
      [2, 2, 'failed'],
      [1, 3, 'failed'],
      [2, 3, 'failed'],
    ]);
    expect(life.experiments.findExperimentSummary(id)?.progress).toMatchObject({
      trials: 2,
      done: 0,
      failed: 2,
    });
  });

  it('ends immediately when a role fails during the run', async () => {
    const { id, run } = await heldRun();
    const error = { code: 'broker-died', message: 'The broker ended.', remedy: 'Look at its log.' };
    rig.agents.broker.send({ type: 'trouble', runId: run.id, role: 'broker', error });
    await eventually('a failure', () => firstRun(id)?.status === 'failed');
    expect(firstRun(id)?.failure).toEqual(error);
    expect(rig.agents.publisher.commands.some(({ command }) => command.kind === 'abort')).toBe(true);
    await life.scheduler.act(id, 'cancel');
  });

  it('names the device that was lost rather than the connections lost with it', async () => {
    const { id, run } = await heldRun();
    const error = { code: 'connection-lost', message: 'A connection ended.', remedy: 'Look at the broker.' };
    const { broker, publisher } = rig.agents;
    broker.answersClock = false;
    const { clockQuestions } = broker;
    publisher.send({ type: 'trouble', runId: run.id, role: 'publisher', error });
    await eventually(
      'the question whether the broker is there',
      () => broker.clockQuestions > clockQuestions,
    );
    broker.disconnect();
    await eventually('a failure', () => firstRun(id)?.status === 'failed');
    expect(firstRun(id)?.failure).toMatchObject({
      code: 'agent-lost',
      message: expect.stringContaining('local-broker'),
    });
    await life.scheduler.act(id, 'cancel');
  });

  it('reports lost connections if there is no other explanation', async () => {
    const { id, run } = await heldRun();
    const error = { code: 'connection-lost', message: 'A connection ended.', remedy: 'Look at the broker.' };
    rig.agents.publisher.send({ type: 'trouble', runId: run.id, role: 'publisher', error });
    await eventually('a failure', () => firstRun(id)?.status === 'failed');
    expect(firstRun(id)?.failure).toEqual(error);
    await life.scheduler.act(id, 'cancel');
  });

  it('fails when a device disconnects during the run, and continues when it is back', async () => {
    const { id } = await heldRun();
    rig.agents.publisher.disconnect();
    await eventually('a failure', () => firstRun(id)?.status === 'failed');
    expect(firstRun(id)?.failure).toMatchObject({
      code: 'agent-lost',
      message: expect.stringContaining('local-publisher'),
    });
    await eventually('the awaited device in the log', () =>
      life.runs.listRecentLogLines(50).some(({ line }) => line.text.includes('Waiting for local-publisher')),
    );
    rig.loadClock.release();
    await rig.agents.publisher.reconnect();
    await ended(id);
    expect(life.runs.listRuns(id).map(({ status }) => status)).toEqual(['failed', 'done']);
  });

  it('allows a retry more time to start than the first attempt', async () => {
    rig.agents.publisher.startNeeds = { ms: 1500, clock: rig.loadClock };
    const id = await failing({ factors: { security: ['plain'] }, retries: 1 });
    await ended(id);
    expect(life.runs.listRuns(id).map(({ status, failure }) => [status, failure?.code])).toEqual([
      ['failed', 'start-late'],
      ['done', undefined],
    ]);
  });

  it('does not fail because the server was busy while devices started in time', async () => {
    const update = life.runs.updateRun;
    vi.spyOn(life.runs, 'updateRun').mockImplementation((runId, change) => {
      update(runId, change);
      // Like a slow disk: it blocks this process until long after the start of the measure phase.
      if (change.status === 'running') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
    });
    const id = await failing({ factors: { security: ['plain'] } });
    await ended(id);
    expect(life.runs.listRuns(id).map(({ status, failure }) => [status, failure?.code])).toEqual([
      ['done', undefined],
    ]);
  });

  it('ends immediately when a device restarts before its old connection is detected as closed', async () => {
    const id = await failing({ workload: { ...makeTinyDraft().workload, measureMs: 60_000 } });
    await eventually('running', () => firstRun(id)?.status === 'running');
    // The old connection stays open until the server replaces it.
    await rig.agents.publisher.reconnect();
    await eventually('a failure', () => firstRun(id)?.status === 'failed');
    expect(firstRun(id)?.failure).toMatchObject({
      code: 'agent-lost',
      message: expect.stringContaining('local-publisher'),
    });
    await life.scheduler.act(id, 'cancel');
  });
});
