import type { ExperimentStatus } from '@mqttlab/shared/domain/runs/statuses';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from '../run/testing/rig.ts';

let rig: Rig;
let life: Life;
beforeAll(async () => {
  rig = new Rig();
  life = await rig.start();
  expect(await life.whenReady(240_000)).toBe(true);
});
afterEach(async () => {
  rig.loadClock.release();
  for (const { id } of life.experiments.listActiveExperiments()) await life.scheduler.act(id, 'cancel');
  for (const agent of Object.values(rig.agents)) agent.commands.length = 0;
});
afterAll(() => rig.remove());

const statusIs = (id: number, status: ExperimentStatus) =>
  eventually(`experiment ${id} ${status}`, () => life.experiments.findExperiment(id)?.status === status);
const runsOf = (id: number) => life.runs.listRuns(id);
const runIs = (id: number, status: string) =>
  eventually(`a run ${status}`, () => runsOf(id).find((run) => run.status === status));
const start = async (id: number) => life.scheduler.act(id, 'start');
/** Starts an experiment whose first run stays in its measure phase until the load clock is released. */
async function startHeld(id: number): Promise<void> {
  rig.loadClock.hold();
  await start(id);
  await runIs(id, 'running');
}

describe('conductor', () => {
  it('executes a plan from start to end, each trial once, in the order of the plan', async () => {
    const { id, plan } = addExperiment(life);
    await start(id);
    await statusIs(id, 'done');
    const runs = runsOf(id);
    expect(runs.map((run) => [run.status, run.trialNumber, run.treatmentKey])).toEqual(
      plan.trials.map((trial) => ['done', trial.number, trial.treatmentKey]),
    );
    expect(life.runs.listRoleResults(runs[0]?.id ?? 0)).toHaveLength(3);
    expect(runs.every((run) => run.metrics['latency.p50'] !== null && run.verdicts.length > 0)).toBe(true);
    const record = life.experiments.findExperiment(id);
    expect(record?.finishedAt).toBeGreaterThan(record?.startedAt ?? Number.POSITIVE_INFINITY);
    const detail = life.runs.findRunDetail(runs[1]?.id ?? 0);
    expect(detail?.measuredAt).toBeGreaterThan(detail?.startedAt ?? Number.POSITIVE_INFINITY);
    expect(detail?.overheadMs).toBeGreaterThan(0);
    expect(life.devices.testbeds.findTestbed('local')?.busyWith).toBeNull();
  });

  it('stops between repetitions when the rule of the plan is met, and logs why it continued and stopped', async () => {
    const stopping = { metric: 'count.received', targetPercent: 10, atLeast: 5 };
    const { id, plan } = addExperiment(life, makeTinyDraft({ repetitions: 7, stopping }));
    await start(id);
    await statusIs(id, 'done');
    const perBlock = plan.treatments.length;
    expect(runsOf(id)).toHaveLength(5 * perBlock);
    expect(life.experiments.findExperimentSummary(id)?.progress).toMatchObject({
      trials: 5 * perBlock,
      done: 5 * perBlock,
    });
    const said = life.runs
      .listRecentLogLines(500)
      .filter(({ experimentId, runId }) => experimentId === id && runId === null);
    expect(said.filter(({ line }) => line.text.includes('so the experiment continues'))).toHaveLength(4);
    expect(said.at(-1)?.line.text).toMatch(/After 5 of at most 7 repetitions: .* so the experiment stops\./);
  });

  it('sends one set of instants to all three devices, and expects the number of sent messages', async () => {
    const { id } = addExperiment(life);
    await start(id);
    await statusIs(id, 'done');
    const of = (role: 'broker' | 'publisher' | 'subscriber', kind: string) =>
      rig.agents[role].commands.filter(({ command }) => command.kind === kind).map(({ command }) => command);
    expect(of('publisher', 'start')).toEqual(of('broker', 'start'));
    expect(of('subscriber', 'start')).toEqual(of('broker', 'start'));
    expect(of('subscriber', 'drain')[0]).toEqual({ kind: 'drain', expected: 200 });
    const kinds = rig.agents.publisher.commands.slice(0, 5).map(({ command }) => command.kind);
    expect(kinds).toEqual(['prepare-client', 'connect', 'start', 'drain', 'teardown']);
    const [tlsBroker] = rig.agents.broker.commands.flatMap(({ command }) =>
      command.kind === 'prepare-broker' && command.tls ? [command.tls] : [],
    );
    expect(tlsBroker?.certificateChain).toContain('BEGIN CERTIFICATE');
  });

  it('serves experiments in the order they were queued', async () => {
    const first = addExperiment(life).id;
    const second = addExperiment(life).id;
    await start(first);
    await start(second);
    expect(life.experiments.findExperiment(second)?.status).toBe('queued');
    await statusIs(second, 'done');
    const last = runsOf(first).at(-1)?.id ?? 0;
    expect(runsOf(second).every((run) => run.id > last)).toBe(true);
  });

  it('pauses after the run, lets others run, and resumes', async () => {
    const { id } = addExperiment(life);
    await startHeld(id);
    await life.scheduler.act(id, 'pause');
    expect(life.experiments.findExperiment(id)?.status).toBe('pausing');
    rig.loadClock.release();
    await statusIs(id, 'paused');
    expect(runsOf(id).map((run) => run.status)).toEqual(['done']);
    const other = addExperiment(life).id;
    await start(other);
    await statusIs(other, 'done');
    expect(runsOf(id)).toHaveLength(1);
    await life.scheduler.act(id, 'resume');
    await statusIs(id, 'done');
    expect(runsOf(id).map((run) => run.trialNumber)).toEqual([1, 2, 3, 4]);
  });

  it('stops after the run and keeps the existing runs', async () => {
    const { id } = addExperiment(life);
    await startHeld(id);
    await life.scheduler.act(id, 'stop-after-run');
    rig.loadClock.release();
    await statusIs(id, 'stopped');
    expect(runsOf(id).map((run) => run.status)).toEqual(['done']);
    expect(life.experiments.findExperiment(id)?.finishedAt).not.toBeNull();
  });

  it('cancels a run immediately, and on retry runs every trial without data', async () => {
    const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    await startHeld(id);
    // The load is still blocked: its end is not awaited.
    await life.scheduler.act(id, 'cancel');
    expect(life.experiments.findExperiment(id)?.status).toBe('cancelled');
    const [cancelled] = runsOf(id);
    expect(cancelled).toMatchObject({ status: 'cancelled', failure: { code: 'cancelled' } });
    expect(rig.agents.broker.commands.at(-1)?.command.kind).toBe('abort');
    rig.loadClock.release();
    const other = addExperiment(life).id;
    await start(other);
    await statusIs(other, 'done');
    expect(runsOf(id)).toHaveLength(1);

    await life.scheduler.act(id, 'retry-failed');
    await statusIs(id, 'done');
    expect(runsOf(id).map((run) => [run.trialNumber, run.attempt, run.status, run.retryOf])).toEqual([
      [1, 1, 'cancelled', null],
      [1, 2, 'done', cancelled?.id],
      [2, 1, 'done', null],
    ]);
  });

  it.each(['collecting', 'done'] as const)(
    'cancels an experiment at the moment when its run is %s: the run is settled and no other starts',
    async (status) => {
      const { id, plan } = addExperiment(life);
      let cancelling: Promise<void> | null = null;
      const stop = life.live.subscribe(({ event, experimentId, data }) => {
        if (event !== 'run' || experimentId !== id || data.status !== status) return;
        cancelling ??= life.scheduler.act(id, 'cancel');
      });
      await start(id);
      await eventually('the cancellation', () => cancelling);
      await cancelling;
      stop();
      expect(life.experiments.findExperiment(id)?.status).toBe('cancelled');
      const [run, ...others] = runsOf(id);
      expect(others).toEqual([]);
      expect(['done', 'cancelled']).toContain(run?.status);
      if (run?.status === 'done') expect(life.runs.listRoleResults(run.id)).toHaveLength(3);
      // The testbed is free for the next experiment, and the remaining trials can be run.
      await life.scheduler.act(id, 'retry-failed');
      await statusIs(id, 'done');
      const done = runsOf(id).filter((each) => each.status === 'done');
      expect(done.map(({ trialNumber }) => trialNumber).sort()).toEqual(
        plan.trials.map(({ number }) => number),
      );
    },
  );

  it('runs every trial without data if it is retried before the cancelled run is settled', async () => {
    const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    await startHeld(id);
    await life.scheduler.act(id, 'cancel');
    await life.scheduler.act(id, 'retry-failed');
    await eventually('the second attempt', () => runsOf(id).find((run) => run.status === 'running'));
    const cancelling = life.scheduler.act(id, 'cancel');
    const retrying = life.scheduler.act(id, 'retry-failed');
    rig.loadClock.release();
    await Promise.all([cancelling, retrying]);
    await statusIs(id, 'done');
    const done = runsOf(id).filter((run) => run.status === 'done');
    expect(done.map(({ trialNumber }) => trialNumber).sort()).toEqual([1, 2]);
    expect(runsOf(id).filter(({ trialNumber }) => trialNumber === 1)).toHaveLength(3);
  });

  it('repeats trials with a flagged run, and keeps that run', async () => {
    const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    await start(id);
    await statusIs(id, 'done');
    const [first, second] = runsOf(id);
    for (const [run, status] of [
      [first, 'failed'],
      [second, 'passed'],
    ] as const) {
      const verdicts = [{ id: 'device-idle', label: 'Idle', status, evidence: 'as written by the test' }];
      life.runs.saveRunSummary(run?.id ?? 0, { verdicts, metrics: run?.metrics ?? {} });
    }
    await life.scheduler.act(id, 'rerun-flagged');
    await statusIs(id, 'done');
    expect(runsOf(id).map((run) => [run.trialNumber, run.attempt, run.status, run.retryOf])).toEqual([
      [1, 1, 'done', null],
      [2, 1, 'done', null],
      [1, 2, 'done', first?.id],
    ]);
    const again = runsOf(id).at(-1);
    const counting = life.runs.listLastAttempts(id).map((run) => run.id);
    expect(counting).toEqual([second?.id, again?.flagged ? first?.id : again?.id].toSorted());
  });

  it('refuses unavailable actions with 409 and lists the available ones', async () => {
    const { id } = addExperiment(life);
    await expect(life.scheduler.act(id, 'pause')).rejects.toMatchObject({
      problem: { status: 409, remedy: 'Available actions: start.' },
    });
    await expect(life.scheduler.act(9999, 'start')).rejects.toMatchObject({ problem: { status: 404 } });
    await start(id);
    await statusIs(id, 'done');
    await expect(life.scheduler.act(id, 'retry-failed')).rejects.toMatchObject({ problem: { status: 409 } });
    for (const { id: runId } of runsOf(id)) life.runs.saveRunSummary(runId, { verdicts: [], metrics: {} });
    await expect(life.scheduler.act(id, 'rerun-flagged')).rejects.toMatchObject({
      problem: { status: 409, remedy: 'There is nothing to run again.' },
    });
    await expect(start(id)).rejects.toMatchObject({ problem: { status: 409 } });
    const empty = life.experiments.createExperiment(makeTinyDraft()).id;
    await expect(start(empty)).rejects.toMatchObject({ problem: { status: 409 } });
  });

  it('leases the testbed to one user at a time', async () => {
    const { id, plan } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    rig.loadClock.hold();
    const check = life.devices.preflight(plan, new AbortController().signal);
    await start(id);
    const other = new AbortController().signal;
    await expect(life.devices.preflight(plan, other)).rejects.toMatchObject({ problem: { status: 409 } });
    const { checks } = await check;
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
    await runIs(id, 'running');
    expect(life.devices.testbeds.findTestbed('local')?.busyWith).toBe(id);
    await expect(life.devices.preflight(plan, other)).rejects.toThrow(`experiment ${id}`);
    rig.loadClock.release();
    await statusIs(id, 'done');
  });
});
