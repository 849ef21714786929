import { describe, expect, it } from 'vitest';
import { makeTestDraft, makeTestPlan } from '../../testing/experiment-factory.ts';
import { makeTestResult } from '../../testing/result-factory.ts';
import { openDatabase } from '../database.ts';
import { makeExperimentStore } from '../experiments/experiment-store.ts';
import { makeRunStore } from './run-store.ts';

function makeStores() {
  const database = openDatabase(':memory:');
  let at = 1000;
  const now = () => at;
  const experiments = makeExperimentStore(database, { now });
  const runs = makeRunStore(database, { now });
  const { id } = experiments.createExperiment(makeTestDraft());
  const plan = makeTestPlan();
  experiments.savePlan(id, plan);
  const createRun = (index: number, attempt = 1, retryOf: number | null = null) => {
    const trial = plan.trials[index]!;
    const { block, treatmentKey, number: trialNumber } = trial;
    return runs.createRun({ experimentId: id, trialNumber, block, treatmentKey, attempt, retryOf });
  };
  const spec = plan.treatments[0]!.spec;
  const setNow = (value: number) => {
    at = value;
  };
  return { database, experiments, runs, id, plan, createRun, spec, setNow };
}

describe('makeRunStore', () => {
  it('returns exactly the report of a device', () => {
    const { runs, createRun, spec } = makeStores();
    const run = createRun(0);
    for (const role of ['subscriber', 'publisher', 'broker'] as const) {
      const result = makeTestResult(role, { spec });
      expect(runs.saveResult(run.id, `local-${role}`, result)).toBe(true);
    }
    const expected = (['broker', 'publisher', 'subscriber'] as const).map((role) => ({
      ...makeTestResult(role, { spec }),
      device: `local-${role}`,
    }));
    expect(runs.listRoleResults(run.id)).toEqual(expected);
  });

  it('keeps the attempt number of an unreadable run, so that the next one differs', () => {
    const { database, runs, createRun, id } = makeStores();
    const first = createRun(0);
    const { id: again } = createRun(0, 2, first.id);
    const verdicts = JSON.stringify([{ id: 'x', label: 'x', status: 'failed', evidence: 'x'.repeat(9000) }]);
    database.run('UPDATE runs SET verdicts_json = :verdicts WHERE id = :again', { verdicts, again });
    expect(runs.listRuns(id)[1]).toMatchObject({ attempt: 2, retryOf: first.id, status: 'failed' });
  });

  it('keeps the first result of a role and device', () => {
    const { runs, createRun, spec } = makeStores();
    const run = createRun(0);
    const first = makeTestResult('publisher', { spec, messages: 10 });
    expect(runs.saveResult(run.id, 'pi', first)).toBe(true);
    expect(runs.saveResult(run.id, 'pi', makeTestResult('publisher', { spec, messages: 99 }))).toBe(false);
    expect(runs.saveResult(run.id, 'pi-2', makeTestResult('publisher', { spec }))).toBe(true);
    expect(runs.listRoleResults(run.id)).toHaveLength(2);
    expect(runs.listRoleResults(run.id)[0]).toEqual({ ...first, device: 'pi' });
  });

  it('stores nothing of a result that cannot be stored completely', () => {
    const { runs, createRun, spec } = makeStores();
    const run = createRun(0);
    const result = makeTestResult('publisher', { spec });
    const broken = { ...result, series: [result.series[0]!, { ...result.series[1]!, metric: 7 as never }] };
    expect(() =>
      runs.saveResult(run.id, 'pi', { ...broken, series: [...broken.series, null as never] }),
    ).toThrow();
    expect(runs.listRoleResults(run.id)).toEqual([]);
    expect(runs.saveResult(run.id, 'pi', result)).toBe(true);
  });

  it('counts the last attempts of trials only', () => {
    const { runs, experiments, createRun, id } = makeStores();
    const first = createRun(0);
    runs.updateRun(first.id, { status: 'failed', failure: { code: 'x', message: 'y', remedy: 'z' } });
    expect(experiments.findExperimentSummary(id)?.progress).toMatchObject({
      trials: 6,
      failed: 1,
      done: 0,
      retried: 0,
    });
    const again = createRun(0, 2, first.id);
    runs.updateRun(again.id, { status: 'running', startedAt: 5 });
    expect(experiments.findExperimentSummary(id)?.progress).toMatchObject({
      failed: 0,
      running: 1,
      retried: 1,
    });
    runs.updateRun(again.id, { status: 'done', finishedAt: 9, failure: null });
    runs.saveRunSummary(again.id, {
      verdicts: [{ id: 'v', label: 'V', status: 'failed', evidence: 'e' }],
      metrics: { 'latency.p50': 1.5, 'count.lost': null, odd: Number.NaN },
    });
    expect(experiments.findExperimentSummary(id)?.progress).toMatchObject({
      done: 1,
      flagged: 1,
      running: 0,
    });
    const found = runs.findRun(again.id);
    expect(found).toMatchObject({ retryOf: first.id, flagged: true, startedAt: 5, finishedAt: 9 });
    expect(found?.metrics).toEqual({ 'latency.p50': 1.5, 'count.lost': null, odd: null });
    expect(runs.listRuns(id).map((run) => run.id)).toEqual([first.id, again.id]);
    expect(runs.listLastAttempts(id).map((run) => run.id)).toEqual([again.id]);
    expect(runs.listUnsettledRuns()).toEqual([]);
  });

  it('counts a flagged run until a valid attempt at its trial is completed', () => {
    const { runs, experiments, createRun, id } = makeStores();
    const saved = (status: 'failed' | 'passed') => ({
      verdicts: [{ id: 'device-idle', label: 'V', status, evidence: 'e' }],
      metrics: { 'latency.p50': 1.5, 'wire.perMessage': 100 },
    });
    const finish = (runId: number, status: 'failed' | 'passed') => {
      runs.saveRunSummary(runId, saved(status));
      runs.updateRun(runId, { status: 'done', startedAt: 0, finishedAt: 3000 });
    };
    const first = createRun(0);
    finish(first.id, 'failed');
    const again = createRun(0, 2, first.id);
    experiments.updateExperiment(id, { status: 'running' });
    expect(experiments.findExperimentSummary(id)).toMatchObject({
      progress: { done: 1, flagged: 1 },
      timeLeftMs: 6 * 3000,
    });
    runs.updateRun(again.id, { status: 'running', startedAt: 1000 });
    expect(experiments.findExperimentSummary(id)?.progress).toMatchObject({
      done: 1,
      flagged: 1,
      running: 1,
    });
    runs.saveRunSummary(again.id, saved('failed'));
    const counted = () => runs.readExperimentValues(id, { metric: 'wire.perMessage', finishing: again.id });
    expect(counted().map(({ runId }) => runId)).toEqual([first.id]);
    runs.saveRunSummary(again.id, saved('passed'));
    expect(counted().map(({ runId }) => runId)).toEqual([again.id]);
    finish(again.id, 'passed');
    expect(experiments.findExperimentSummary(id)?.progress).toMatchObject({
      done: 1,
      flagged: 0,
      running: 0,
      retried: 1,
    });
    expect(runs.listLastAttempts(id).map((run) => run.id)).toEqual([again.id]);
    runs.saveRunSummary(first.id, saved('passed'));
    expect(runs.listLastAttempts(id).map((run) => run.id)).toEqual([first.id]);
  });

  it('finds neighbours, devices and siblings of a run', () => {
    const { runs, createRun, plan, spec } = makeStores();
    const all = plan.trials.map((_, index) => createRun(index));
    for (const [index, run] of all.entries()) {
      runs.updateRun(run.id, { status: 'done', overheadMs: 100 + index, measuredAt: 77 });
      runs.saveRunSummary(run.id, { verdicts: [], metrics: { 'latency.p50': index } });
    }
    const second = all[1]!;
    const sibling = all.findIndex((run, i) => i !== 1 && run.treatmentKey === second.treatmentKey);
    runs.saveResult(second.id, 'unknown-device', makeTestResult('broker', { spec }));
    expect(runs.findRunDetail(second.id)).toMatchObject({
      experimentName: 'TLS or not',
      trialCount: 6,
      previousRunId: all[0]!.id,
      nextRunId: all[2]!.id,
      measuredAt: 77,
      overheadMs: 101,
      devices: { broker: 'unknown-device' },
      siblings: { 'latency.p50': { mean: sibling, runs: 1 } },
    });
    expect(runs.findRunDetail(second.id)?.treatment.key).toBe(second.treatmentKey);
    expect(runs.findRunDetail(99)).toBeNull();
    expect(runs.medianOverheadMs('local')).toBe(102.5);
    expect(runs.medianOverheadMs('elsewhere')).toBeNull();
  });

  it('reads one metric of many runs without the rest', () => {
    const { runs, createRun, spec } = makeStores();
    const [a, b] = [createRun(0), createRun(1)];
    for (const run of [a, b]) {
      for (const role of ['publisher', 'broker'] as const) {
        runs.saveResult(run.id, `local-${role}`, makeTestResult(role, { spec, latencyMs: run.id }));
      }
    }
    const found = runs.readSeries([b.id, a.id, 99], { metric: 'cpu.process', role: 'broker' });
    expect(found.map(({ runId, deviceId }) => [runId, deviceId])).toEqual([
      [a.id, 'local-broker'],
      [b.id, 'local-broker'],
    ]);
    expect(found[1]?.series).toEqual(makeTestResult('broker', { spec, latencyMs: b.id }).series[0]);
  });

  it('keeps the log in order', () => {
    const { runs, createRun, id } = makeStores();
    const run = createRun(0);
    for (const text of ['a', 'b', 'c']) {
      const line = { at: 1, level: 'info', source: 's', text } as const;
      runs.appendLog({ experimentId: id, runId: text === 'b' ? run.id : null, line });
    }
    expect(runs.listRecentLogLines(2).map(({ line }) => line.text)).toEqual(['b', 'c']);
    expect(runs.listRunLogLines(run.id).map(({ line }) => line.text)).toEqual(['b']);
  });

  it('returns the log of an experiment page by page, newest first', () => {
    const { runs, createRun, id } = makeStores();
    const run = createRun(0);
    for (const [at, text] of ['a', 'b', 'c', 'd'].entries()) {
      const line = { at, level: 'info', source: 's', text } as const;
      runs.appendLog({ experimentId: text === 'd' ? null : id, runId: text === 'b' ? run.id : null, line });
    }
    const first = runs.readExperimentLog(id, { before: null, limit: 2 });
    expect(first.lines.map(({ line }) => line.text)).toEqual(['c', 'b']);
    expect(first.total).toBe(3);
    const second = runs.readExperimentLog(id, { before: first.lines.at(-1)?.id ?? 0, limit: 2 });
    expect(second.lines.map(({ line }) => line.text)).toEqual(['a']);
  });

  it('estimates the time left from the runs so far', () => {
    const { runs, experiments, createRun, id, setNow } = makeStores();
    expect(experiments.findExperimentSummary(id)?.timeLeftMs).toBeNull();
    experiments.updateExperiment(id, { status: 'running', startedAt: 0 });
    expect(experiments.findExperimentSummary(id)?.timeLeftMs).toBe(6 * (2500 + 1200));
    const first = createRun(0);
    runs.updateRun(first.id, { status: 'done', startedAt: 0, finishedAt: 3000, overheadMs: 500 });
    const second = createRun(1);
    runs.updateRun(second.id, { status: 'running', startedAt: 3000 });
    setNow(4000);
    expect(experiments.findExperimentSummary(id)?.timeLeftMs).toBe(5 * 3000 - 1000);
    experiments.updateExperiment(id, { status: 'stopping' });
    expect(experiments.findExperimentSummary(id)?.timeLeftMs).toBe(2000);
  });
});
