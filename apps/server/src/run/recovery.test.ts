import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchHolds } from '../api/testing/event-loop-holds.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';
import type { ScriptedAgent } from './testing/scripted-agent.ts';

let rig: Rig;
let life: Life;
const begin = async (options = {}) => {
  life = await rig.start(options);
  expect(await life.whenReady(240_000)).toBe(true);
};
beforeEach(async () => {
  rig = new Rig();
  await begin();
});
afterEach(() => rig.remove());

const runsOf = (id: number) => life.runs.listRuns(id);
const statusIs = (id: number, status: string) =>
  eventually(`experiment ${id} ${status}`, () => life.experiments.findExperiment(id)?.status === status);
const runIs = (id: number, status: string) =>
  eventually(`a run ${status}`, () => runsOf(id).find((run) => run.status === status));
/** Starts an experiment whose first run stays in its measure phase until the load clock is released. */
async function startHeld(id: number) {
  rig.loadClock.hold();
  await life.scheduler.act(id, 'start');
  return runIs(id, 'running');
}

describe('after a crash of the server', () => {
  it.each(['preparing', 'running', 'collecting'])(
    'settles the run that was %s and runs its trial again: none lost, none doubled',
    async (status) => {
      if (status === 'preparing') rig.agents.broker.misconduct.set('prepare-broker', 'silence');
      if (status === 'collecting') rig.agents.broker.misconduct.set('teardown', 'silence');
      if (status === 'running') rig.loadClock.hold();
      const { id, plan } = addExperiment(life);
      await life.scheduler.act(id, 'start');
      await runIs(id, status);
      life.crash();
      rig.agents.broker.misconduct.clear();
      rig.loadClock.release();
      await begin();
      const [first] = runsOf(id);
      expect(first).toMatchObject({ status: 'interrupted', failure: { code: 'interrupted' } });
      await statusIs(id, 'done');
      expect(life.runs.listUnsettledRuns()).toEqual([]);
      const runs = runsOf(id);
      expect(runs).toHaveLength(plan.trials.length + 1);
      const again = runs.find(({ retryOf }) => retryOf === first?.id);
      expect(again).toMatchObject({ status: 'done', attempt: 2, trialNumber: 1, block: 1 });
      // At the end of its block, before the next block begins.
      expect(runs.map((run) => run.block)).toEqual([1, 1, 1, 2, 2]);
    },
  );

  it('continues immediately with devices whose connections are closing, without waiting for them', async () => {
    rig.agents.broker.misconduct.set('prepare-broker', 'silence');
    const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    await life.scheduler.act(id, 'start');
    await runIs(id, 'preparing');
    life.crash();
    const agents = Object.values(rig.agents);
    for (const agent of agents) {
      agent.misconduct.clear();
      agent.misconduct.set('abort', 'half close');
    }
    await begin();
    const holds = watchHolds();
    const isAsked = ({ commands }: ScriptedAgent) => commands.some(({ command }) => command.kind === 'abort');
    await eventually('each has a request to end the run', () => agents.every(isAsked));
    await eventually('all are offline', () =>
      life.devices.testbeds
        .findTestbed('local')
        ?.devices.every(({ online, role }) => !online || /bridge|cloud/.test(role)),
    );
    for (const agent of agents) agent.misconduct.clear();
    await Promise.all(agents.map((agent) => agent.reconnect()));
    await statusIs(id, 'done');
    expect(holds.longestMs()).toBeLessThan(5_000);
    holds.stop();
  });

  it('uses a result set that was complete before the crash, and does not run that trial again', async () => {
    for (const agent of Object.values(rig.agents)) agent.holdsResults = true;
    const { id } = addExperiment(life);
    await life.scheduler.act(id, 'start');
    await eventually('three results', () => Object.values(rig.agents).every(({ kept }) => kept.size === 1));
    life.crash();
    for (const agent of Object.values(rig.agents)) agent.holdsResults = false;
    await begin();
    await statusIs(id, 'done');
    expect(runsOf(id).map((run) => [run.trialNumber, run.attempt, run.status])).toEqual(
      [1, 2, 3, 4].map((number) => [number, 1, 'done']),
    );
    expect(runsOf(id)[0]).toMatchObject({ failure: null });
    expect(runsOf(id)[0]?.metrics['latency.p50']).toBeGreaterThan(0);
  });

  it('waits for a device that reconnects slowly with its result, and runs nothing twice', async () => {
    for (const agent of Object.values(rig.agents)) agent.holdsResults = true;
    const { id } = addExperiment(
      life,
      makeTinyDraft({ repetitions: 1, factors: { security: ['plain'], rate: [200] } }),
    );
    await life.scheduler.act(id, 'start');
    await eventually('three results', () => Object.values(rig.agents).every(({ kept }) => kept.size === 1));
    life.crash();
    const { broker, publisher, subscriber } = rig.agents;
    publisher.holdsResults = false;
    subscriber.holdsResults = false;
    const begunAt = Date.now();
    await begin();
    broker.disconnect();
    const waiting = () => life.devices.testbeds.findTestbed('local')?.waiting;
    await eventually('the wait is reported', () => waiting()?.deviceIds.includes('local-broker'));
    expect(waiting()).toMatchObject({ runIds: [runsOf(id)[0]?.id] });
    // Longer than the delivery timeout of a connected device, which is 5 s.
    expect(waiting()!.untilAt - begunAt).toBeGreaterThanOrEqual(60_000);
    expect(life.devices.testbeds.findTestbed('local')?.busyWith).toBe(id);
    broker.holdsResults = false;
    await broker.reconnect();
    await statusIs(id, 'done');
    expect(runsOf(id).map((run) => [run.trialNumber, run.attempt, run.status])).toEqual([[1, 1, 'done']]);
    expect(waiting()).toBeUndefined();
  });

  it('ends the interrupted run on devices before the next one starts', async () => {
    const { id } = addExperiment(life);
    const { id: interrupted } = await startHeld(id);
    life.crash();
    rig.loadClock.release();
    for (const { commands } of Object.values(rig.agents)) commands.length = 0;
    await begin();
    await statusIs(id, 'done');
    for (const { commands } of Object.values(rig.agents)) {
      expect(commands[0]).toMatchObject({ runId: interrupted, command: { kind: 'abort' } });
    }
  });

  it('keeps a pause, the queue and requested retries', async () => {
    const draft = makeTinyDraft({ repetitions: 1 });
    rig.agents.broker.misconduct.set('prepare-broker', {
      error: { code: 'broker-start', message: 'Mosquitto did not start.', remedy: 'See its output.' },
    });
    const { id: failed } = addExperiment(life, draft);
    await life.scheduler.act(failed, 'start');
    await statusIs(failed, 'done');
    rig.agents.broker.misconduct.clear();
    const { id: paused } = addExperiment(life, draft);
    await startHeld(paused);
    await life.scheduler.act(paused, 'pause');
    await life.scheduler.act(failed, 'retry-failed');
    life.crash();
    rig.loadClock.release();
    await begin();
    await statusIs(failed, 'done');
    expect(runsOf(failed).map((run) => [run.trialNumber, run.attempt, run.status])).toEqual([
      [1, 1, 'failed'],
      [2, 1, 'failed'],
      [1, 2, 'done'],
      [2, 2, 'done'],
    ]);
    expect(life.experiments.findExperiment(paused)?.status).toBe('paused');
    expect(runsOf(paused).map((run) => run.status)).toEqual(['interrupted']);
  });
});

describe('when the server is stopped', () => {
  it('settles the current run as interrupted and continues at the next start', async () => {
    const { id } = addExperiment(life);
    await startHeld(id);
    const { runs } = life;
    await life.scheduler.stop();
    rig.loadClock.release();
    expect(runs.listRuns(id).map((run) => run.status)).toEqual(['interrupted']);
    await life.stop();
    await begin();
    await statusIs(id, 'done');
    expect(runsOf(id).filter((run) => run.status === 'done')).toHaveLength(4);
  });
});

describe('a late result', () => {
  it('corrects a timed-out run: it is completed and not flagged as missing', async () => {
    const draft = makeTinyDraft({ repetitions: 1 });
    rig.agents.broker.misconduct.set('teardown', 'hang up');
    rig.agents.publisher.holdsResults = true;
    rig.agents.subscriber.holdsResults = true;
    const { id, plan } = addExperiment(life, draft);
    await life.scheduler.act(id, 'start');
    const lost = await runIs(id, 'failed');
    expect(lost.failure?.code).toBe('agent-lost');
    await life.scheduler.act(id, 'cancel');

    const { broker, publisher, subscriber } = rig.agents;
    for (const agent of [publisher, subscriber]) {
      agent.holdsResults = false;
      agent.deliver();
    }
    await eventually('two results', () => life.runs.listRoleResults(lost.id).length === 2);
    expect(life.runs.findRun(lost.id)?.status).toBe('failed');
    const spec = plan.treatments.find(({ key }) => key === lost.treatmentKey)?.spec;
    if (!spec) throw new Error('no such treatment');
    const key = `${lost.id}-broker`;
    const result = makeTestResult('broker', { spec });
    broker.misconduct.clear();
    broker.kept.set(key, { type: 'result', key, runId: lost.id, result });
    await broker.reconnect();
    const corrected = await eventually('a correction', () => {
      const run = life.runs.findRun(lost.id);
      return run?.status === 'done' && run;
    });
    expect(corrected).toMatchObject({ failure: null, attempt: 1 });
    expect(corrected.verdicts.length).toBeGreaterThan(0);
    await eventually('an acknowledgement', () => broker.kept.size === 0);
  });

  it('does not count if a retry was completed meanwhile', async () => {
    const { broker } = rig.agents;
    broker.misconduct.set('teardown', 'hang up');
    const { id, plan } = addExperiment(life, makeTinyDraft({ repetitions: 1, retries: 1 }));
    await life.scheduler.act(id, 'start');
    const lost = await runIs(id, 'failed');
    broker.misconduct.clear();
    // It has already ended the run; its result waits on its disk.
    const error = { code: 'none', message: 'Nothing to abort.', remedy: 'None.' };
    broker.misconduct.set('abort', { error });
    await eventually(
      'offline',
      () => life.devices.testbeds.findTestbed('local')?.devices[0]?.online === false,
    );
    await broker.reconnect();
    await statusIs(id, 'done');
    const key = `${lost.id}-broker`;
    const spec = plan.treatments.find((treatment) => treatment.key === lost.treatmentKey)?.spec;
    if (!spec) throw new Error('no such treatment');
    broker.kept.set(key, { type: 'result', key, runId: lost.id, result: makeTestResult('broker', { spec }) });
    broker.deliver();
    await eventually('an acknowledgement', () => broker.kept.size === 0);
    expect(life.runs.listRoleResults(lost.id)).toHaveLength(3);
    expect(runsOf(id).filter(({ trialNumber }) => trialNumber === lost.trialNumber)).toMatchObject([
      { attempt: 1, status: 'failed' },
      { attempt: 2, status: 'done' },
    ]);
    expect(life.experiments.findExperimentSummary(id)?.progress).toMatchObject({
      trials: 2,
      done: 2,
      failed: 0,
    });
  });

  it('is acknowledged again if it arrives again, and changes nothing', async () => {
    const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    await life.scheduler.act(id, 'start');
    await statusIs(id, 'done');
    const [run] = runsOf(id);
    const before = life.runs.listRoleResults(run?.id ?? 0);
    const { publisher } = rig.agents;
    const key = `${run?.id}-publisher`;
    const acknowledged = publisher.acknowledged.length;
    const other = makeTestResult('publisher', {
      spec: addExperiment(life).plan.treatments[0]!.spec,
      messages: 7,
    });
    publisher.kept.set(key, { type: 'result', key, runId: run?.id ?? 0, result: other });
    publisher.deliver();
    await eventually('an acknowledgement', () => publisher.acknowledged.length > acknowledged);
    expect(life.runs.listRoleResults(run?.id ?? 0)).toEqual(before);
  });

  it('of an unknown run is refused with the reason, to be set aside', async () => {
    const { publisher } = rig.agents;
    const result = makeTestResult('publisher', { spec: addExperiment(life).plan.treatments[0]!.spec });
    publisher.kept.set('777-publisher', { type: 'result', key: '777-publisher', runId: 777, result });
    publisher.deliver();
    await eventually('a refusal', () => publisher.refused.has('777-publisher'));
    expect(publisher.refused.get('777-publisher')).toContain('never started run 777');
    expect(life.runs.listRecentLogLines(5).some(({ line }) => line.text.includes('run 777'))).toBe(true);
  });
});
