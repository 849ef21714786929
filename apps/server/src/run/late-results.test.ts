import { makeContext } from '@mqttlab/shared/analysis/report/report-input';
import { neededRoles } from '@mqttlab/shared/domain/devices/device';
import type { RunStatus } from '@mqttlab/shared/domain/runs/statuses';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { valueTable } from '../exchange/experiment-tables.ts';
import { selectRuns } from '../results/compare.ts';
import { TrialLedger } from '../scheduler/trial-ledger.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';

let rig: Rig;
let life: Life;
beforeEach(async () => {
  rig = new Rig();
  life = await rig.start();
  expect(await life.whenReady(240_000)).toBe(true);
});
afterEach(() => rig.remove());

const draft = makeTinyDraft({ repetitions: 1, factors: { security: ['plain'], rate: [200], qos: [1] } });
const failure = { code: 'x', message: 'It ended.', remedy: 'None.' };

/** An experiment of one trial whose attempts ended with these statuses; the devices hold every result of the first. */
function makeAttempts(statuses: readonly RunStatus[], change = {}) {
  const { id, plan } = addExperiment(life, { ...draft, ...change });
  const [trial] = plan.trials;
  if (!trial) throw new Error('no trial');
  const spec = plan.treatments[0]!.spec;
  const { number: trialNumber, block, treatmentKey } = trial;
  const runIds: number[] = [];
  for (const [index, status] of statuses.entries()) {
    const retryOf = runIds.at(-1) ?? null;
    const attempt = index + 1;
    const run = life.runs.createRun({ experimentId: id, trialNumber, block, treatmentKey, attempt, retryOf });
    runIds.push(run.id);
    if (status === 'planned') continue;
    life.runs.saveRunDevices(
      run.id,
      neededRoles.map((role) => ({ deviceId: `local-${role}`, role })),
    );
    const ended = status === 'done' ? {} : { failure };
    life.runs.updateRun(run.id, { status, startedAt: 1000, finishedAt: 2000, ...ended });
  }
  const deliver = async () => {
    const [runId = 0] = runIds;
    for (const role of neededRoles) {
      const key = `${runId}-${role}`;
      const result = makeTestResult(role, { spec });
      rig.agents[role].kept.set(key, { type: 'result', key, runId, result });
      rig.agents[role].deliver();
    }
    await eventually('acknowledgements', () => neededRoles.every((role) => rig.agents[role].kept.size === 0));
  };
  return { id, plan, runIds, deliver };
}

/** The attempts that each reader of the store counts. */
async function countedBy(id: number) {
  const plan = life.experiments.findExperiment(id)?.plan;
  if (!plan) throw new Error('no plan');
  const all = life.runs.listRuns(id);
  const input = {
    plan,
    runs: all,
    data: [],
    series: () => [],
    takesFlagged: false,
    needsStability: false,
    software: 'test',
    experiment: { id, name: '', question: '' } as never,
  };
  const table = valueTable(life, id);
  const counts = table.columns.findIndex(({ name }) => name === 'counts');
  const rows: (readonly unknown[])[] = [];
  for await (const part of table.parts()) rows.push(...part.filter((row) => row[counts] === true));
  return {
    progress: life.experiments.findExperimentSummary(id)?.progress,
    due: new TrialLedger(plan, all).next(),
    compare: selectRuns(life, { experiments: String(id) }).treatments.flatMap(({ runs }) =>
      runs.map((run) => run.id),
    ),
    values: life.runs.readExperimentValues(id, { metric: 'latency.p50' }).map(({ runId }) => runId),
    report: makeContext(input)
      .treatmentsFor(plan.response)
      .flatMap(({ runs }) => runs.map(({ runId }) => runId)),
    csv: [...new Set(rows.map(([, run]) => run))],
    headline: life.experiments.findExperimentSummary(id)?.headline,
  };
}

describe('late results', () => {
  it.each([
    [['interrupted', 'failed']],
    [['failed', 'failed', 'interrupted']],
    [['failed', 'cancelled']],
  ] as const)('count everywhere if no later attempt was completed: %j', async (statuses) => {
    const { id, runIds, deliver } = makeAttempts(statuses);
    life.experiments.updateExperiment(id, { status: 'done' });
    await deliver();
    const [first = 0] = runIds;
    expect(life.runs.findRun(first)).toMatchObject({ status: 'done', failure: null });
    expect(await countedBy(id)).toMatchObject({
      progress: { trials: 1, done: 1, failed: 0, cancelled: 0 },
      due: null,
      compare: [first],
      values: [first],
      report: [first],
      csv: [first],
    });
  });

  it('count in the headline too', async () => {
    const { id, plan, deliver } = makeAttempts(['interrupted', 'failed'], {
      factors: {
        security: ['plain', 'TLS 1.3'],
        cipherSuite: ['TLS_AES_256_GCM_SHA384'],
        rate: [200],
        qos: [1],
      },
    });
    await deliver();
    expect(plan.trials).toHaveLength(2);
    // The other treatment has no run yet: a headline requires both.
    expect(life.runs.readExperimentValues(id, { metric: plan.response })).toHaveLength(1);
    expect(life.experiments.findExperimentSummary(id)?.progress).toMatchObject({ done: 1, failed: 0 });
  });

  it('do not change the figures if a later attempt is completed', async () => {
    const { id, runIds, deliver } = makeAttempts(['failed', 'done']);
    await deliver();
    expect(life.runs.listRuns(id).map(({ status }) => status)).toEqual(['failed', 'done']);
    expect((await countedBy(id)).compare).toEqual([runIds[1]]);
    expect(
      life.runs.listRecentLogLines(5).some(({ line }) => line.text.includes('by run 1, attempt 2')),
    ).toBe(true);
  });

  it('make a requested retry unnecessary', async () => {
    const { id, runIds, deliver } = makeAttempts(['interrupted', 'planned']);
    await deliver();
    expect(life.runs.listRuns(id).map(({ status }) => status)).toEqual(['done', 'cancelled']);
    expect(life.runs.findRun(runIds[1] ?? 0)?.failure?.message).toContain(`run ${runIds[0]}`);
  });

  it('end the current repetition of their trial', async () => {
    rig.loadClock.hold();
    const { id, runIds, deliver } = makeAttempts(['failed'], { retries: 1 });
    await life.scheduler.act(id, 'start');
    const second = await eventually('a second attempt', () =>
      life.runs.listRuns(id).find(({ attempt, status }) => attempt === 2 && status === 'running'),
    );
    await deliver();
    await eventually('done', () => life.experiments.findExperiment(id)?.status === 'done');
    expect(life.runs.listRuns(id).map(({ status }) => status)).toEqual(['done', 'cancelled']);
    expect(life.runs.findRun(second.id)?.failure?.message).toContain(`run ${runIds[0]}`);
    expect(await countedBy(id)).toMatchObject({ progress: { done: 1, failed: 0, running: 0 }, due: null });
  });
});
