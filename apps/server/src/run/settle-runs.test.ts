import { neededRoles } from '@mqttlab/shared/domain/devices/device';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { RunStatus } from '@mqttlab/shared/domain/runs/statuses';
import { describe, expect, it, vi } from 'vitest';
import { TrialLedger } from '../scheduler/trial-ledger.ts';
import { makeTestDraft, makeTestPlan } from '../testing/experiment-factory.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { makeTestStores } from '../testing/stores-factory.ts';
import { settleInterrupted } from './results.ts';

const draft = { repetitions: 1, factors: { security: ['plain'], qos: [1] } };
const failure = { code: 'broker-died', message: 'The broker died.', remedy: 'Look at its log.' };

/** A server that crashed during one run; `stored`: the devices whose results it had. */
function makeDead(status: RunStatus, stored: readonly string[], failed: RoleFailure | null = null) {
  let now = 10_000;
  const stores = makeTestStores(() => now);
  const { experiments, runs } = stores;
  const { id } = experiments.createExperiment(makeTestDraft(draft));
  const plan = makeTestPlan(draft);
  experiments.savePlan(id, plan);
  experiments.updateExperiment(id, { status: 'running', startedAt: 1000 });
  const create = (attempt: number, retryOf: number | null) => {
    const run = runs.createRun({
      experimentId: id,
      trialNumber: 1,
      block: 1,
      treatmentKey: plan.trials[0]!.treatmentKey,
      attempt,
      retryOf,
    });
    runs.saveRunDevices(
      run.id,
      neededRoles.map((role) => ({ deviceId: role, role })),
    );
    runs.updateRun(run.id, { status, startedAt: 2000, measuredAt: 3000 });
    return run.id;
  };
  const runId = create(1, null);
  const spec = plan.treatments[0]!.spec;
  for (const role of neededRoles.filter((name) => stored.includes(name))) {
    runs.saveResult(runId, role, {
      ...makeTestResult(role, { spec }),
      failure: role === 'broker' ? failed : null,
    });
  }
  const said: string[] = [];
  const finish = vi.spyOn(stores.runs, 'saveRunSummary');
  const startAgain = () => {
    now = 3_600_000;
    return settleInterrupted({
      stores,
      time: { nowMs: () => now },
      live: {
        publishRun: () => {},
        note: (_level, text) => void said.push(text),
        reportError: (error) => expect.fail(String(error)),
      },
    });
  };
  const ledger = () => new TrialLedger(plan, runs.listRuns(id));
  return { id, runId, runs, experiments, startAgain, said, finish, ledger, create };
}

describe('settleInterrupted', () => {
  it.each(['running', 'collecting'] as const)(
    'takes a run that died %s with every result stored as done, and does not repeat it',
    (status) => {
      const { id, runId, runs, experiments, startAgain, ledger, said } = makeDead(status, neededRoles);
      expect(startAgain()).toEqual([]);
      // Ended when the last result arrived, not when the server was restarted.
      expect(runs.findRun(runId)).toMatchObject({ status: 'done', failure: null, finishedAt: 10_000 });
      expect(runs.findRun(runId)?.metrics['latency.p50']).toBeGreaterThan(0);
      expect(ledger().next()).toBeNull();
      expect(experiments.findExperimentSummary(id)?.progress).toMatchObject({
        trials: 1,
        done: 1,
        failed: 0,
      });
      expect(said).toEqual([
        expect.stringContaining(`E-${id}, run 1 is done: all its results had been stored`),
      ]);
    },
  );

  it('settles a run as failed if its stored results report it', () => {
    const { runId, runs, startAgain } = makeDead('collecting', neededRoles, failure);
    expect(startAgain()).toEqual([]);
    expect(runs.findRun(runId)).toMatchObject({ status: 'failed', failure });
  });

  it('repeats a run with a missing result', () => {
    const { runId, runs, startAgain, ledger } = makeDead('collecting', ['broker', 'publisher']);
    expect(startAgain()).toEqual([runId]);
    expect(runs.findRun(runId)).toMatchObject({ status: 'interrupted', failure: { code: 'interrupted' } });
    expect(ledger().next()).toMatchObject({ attempt: 2, retryOf: runId });
  });

  it('continues if the results of a run cannot be evaluated', () => {
    const { runId, runs, startAgain, finish } = makeDead('collecting', neededRoles);
    finish.mockImplementation(() => {
      throw new TypeError('no such number');
    });
    startAgain();
    expect(runs.findRun(runId)).toMatchObject({ status: 'failed', failure: { code: 'server-fault' } });
  });

  it('skips results whose evaluation crashed the server three times', () => {
    const { runId, runs, startAgain, finish, said } = makeDead('collecting', neededRoles);
    // Each started by a server that crashed before the outcome.
    for (let life = 1; life <= 3; life += 1) expect(runs.beginSettling(runId)).toBe(life);
    startAgain();
    expect(finish).not.toHaveBeenCalled();
    expect(runs.findRun(runId)).toMatchObject({ status: 'failed', failure: { code: 'server-ended' } });
    expect(runs.listRoleResults(runId)).toHaveLength(3);
    expect(said.join()).toContain('3 times');
  });

  it('does not repeat a trial that crashed the server three times, and reports it', () => {
    const { id, runs, startAgain, ledger, create, experiments, said } = makeDead('running', []);
    for (let attempt = 2; attempt <= 3; attempt += 1) {
      startAgain();
      const next = ledger().next();
      expect(next).toMatchObject({ attempt });
      create(attempt, next?.retryOf ?? null);
    }
    startAgain();
    expect(ledger().next()).toBeNull();
    expect(experiments.findExperimentSummary(id)?.progress).toMatchObject({ trials: 1, done: 0, failed: 1 });
    const last = runs.listRuns(id).at(-1);
    expect(last).toMatchObject({ status: 'interrupted', attempt: 3 });
    expect(last?.failure?.remedy).toContain('retry');
    expect(said.at(-1)).toContain('3 times');
    // A user may request it.
    expect(ledger().again('failed')).toMatchObject([{ attempt: 4, retryOf: last?.id }]);
  });

  it('repeats trials without limit if they were interrupted by a server stop', () => {
    const { runs, ledger, create, runId } = makeDead('running', []);
    const stopped = { code: 'server-stopped', message: 'It was stopped.', remedy: 'None.' };
    let last = runId;
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      runs.updateRun(last, { status: 'interrupted', failure: stopped });
      expect(ledger().next()).toMatchObject({ attempt });
      last = create(attempt, last);
    }
  });
});
