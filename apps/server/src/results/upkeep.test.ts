import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { expect, it, onTestFinished, vi } from 'vitest';
import { StorageError } from '../store/storage-error.ts';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { startRedefining } from './upkeep.ts';

it('recomputes stored runs with the current definitions once, and reports the changes', async () => {
  const stores = makeTestStores();
  const { id, runs } = playExperiment(stores, { repetitions: 3 }, (treatment) => ({
    latencyMs: 1 + treatment,
  }));
  const [first, second] = runs;
  if (!first || !second) throw new Error('there are runs');
  // As computed and stored by an earlier version.
  for (const run of runs) {
    const metrics = run.id === first.id ? { ...run.metrics, 'latency.p50': 99 } : run.metrics;
    stores.runs.saveRunSummary(run.id, {
      verdicts: run.verdicts,
      metrics,
      bases: run.bases ?? {},
      definitions: 1,
    });
  }
  stores.experiments.saveHeadline(id, null);
  const onDone = vi.fn();
  const fail = (...args: readonly unknown[]) => expect.fail(args.join());
  const options = { onDone, onDamaged: fail, onError: fail, now: () => 77 };
  const redefining = startRedefining(stores, options);
  await redefining.idle();
  expect(onDone).toHaveBeenCalledWith(runs.length);
  const now = stores.runs.findRun(first.id);
  expect(now?.metrics['latency.p50']).toBe(first.metrics['latency.p50']);
  expect(now?.redefined).toEqual({
    at: 77,
    changes: [{ metric: 'latency.p50', before: 99, after: first.metrics['latency.p50'] }],
    flagBefore: false,
  });
  expect(stores.runs.findRun(second.id)?.redefined).toBeUndefined();
  expect(stores.experiments.findExperimentSummary(id)?.headline).not.toBeNull();
  expect(stores.runs.findEarliestDefinitions(id)).toBe(definitionsVersion);
  redefining.wake();
  await redefining.idle();
  expect(onDone).toHaveBeenCalledTimes(1);
  await redefining.stop();
});

it.each([
  ['evidence that does not unpack', "UPDATE run_results SET body_packed = x'00' WHERE run_id = :id"],
  ['series that do not unpack', "UPDATE run_series SET values_block = x'0102' WHERE run_id = :id"],
])('continues after a run with %s, reports it once and keeps its figures', async (_what, spoil) => {
  const stores = makeTestStores();
  const { runs } = playExperiment(stores, { repetitions: 3 });
  const [damaged, ...others] = runs;
  if (!damaged) throw new Error('there are runs');
  for (const { id, verdicts, metrics, bases = {} } of runs) {
    stores.runs.saveRunSummary(id, {
      verdicts,
      metrics: { ...metrics, 'latency.p50': 99 },
      bases,
      definitions: 1,
    });
  }
  stores.database.run(spoil, { id: damaged.id });
  const [onDone, onDamaged, onError] = [vi.fn(), vi.fn(), vi.fn()];
  const redefining = startRedefining(stores, { onDone, onDamaged, onError, now: () => 77 });
  await redefining.idle();
  expect(onError).not.toHaveBeenCalled();
  expect(onDamaged).toHaveBeenCalledExactlyOnceWith(damaged.id, expect.any(Error));
  for (const { id, metrics } of others) {
    expect(stores.runs.findRun(id)?.metrics['latency.p50']).toBe(metrics['latency.p50']);
  }
  expect(onDone).toHaveBeenCalledWith(others.length);
  redefining.wake();
  await redefining.idle();
  expect(onDamaged).toHaveBeenCalledTimes(1);
  await redefining.stop();
});

it('continues automatically when a full disk has room again', async () => {
  const stores = makeTestStores();
  const { runs } = playExperiment(stores, { repetitions: 3 });
  for (const { id, verdicts, metrics, bases = {} } of runs) {
    stores.runs.saveRunSummary(id, { verdicts, metrics, bases, definitions: 1 });
  }
  const full = new StorageError('full', 'The disk is full.', { remedy: 'Make room.' });
  const save = vi.spyOn(stores.runs, 'saveRunSummary').mockImplementationOnce(() => {
    throw full;
  });
  const [onError, onDamaged] = [vi.fn(), vi.fn()];
  const recomputed = new Promise<number>((onDone) => {
    const redefining = startRedefining(stores, {
      onDone,
      onDamaged,
      onError,
      retryAfterMs: 1,
      now: () => 77,
    });
    onTestFinished(() => redefining.stop());
  });
  expect(await recomputed).toBe(runs.length);
  expect(onError).toHaveBeenCalledExactlyOnceWith(full);
  expect(onDamaged).not.toHaveBeenCalled();
  expect(save).toHaveBeenCalledTimes(runs.length + 1);
});
