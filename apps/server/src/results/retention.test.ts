import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { expect, it } from 'vitest';
import { StorageError } from '../store/storage-error.ts';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { startRedefining, startRetention } from './upkeep.ts';

const dayMs = 86_400_000;

it('removes series and logs after the configured days, keeps figures, and skips protected experiments', async () => {
  let now = 10_000;
  const stores = makeTestStores(() => now);
  const old = playExperiment(stores);
  const spared = playExperiment(stores);
  stores.experiments.updateExperiment(spared.id, { keepEverything: true });
  const [run] = old.runs;
  const line = { at: 1, level: 'info', source: 'server', text: 'hello' } as const;
  stores.runs.appendLog({ experimentId: old.id, runId: run!.id, line });
  const file = { runId: run!.id, deviceId: 'local-broker', name: 'capture.pcap' } as const;
  stores.runFiles.saveFilePart(file, { part: 0, bytes: Buffer.alloc(8), isLast: true });
  const before = stores.runs.findRunDetail(run!.id)!;
  expect(before.files).toMatchObject([{ name: 'capture.pcap', bytes: 8 }]);
  expect(before.results.some(({ series }) => series.length > 0)).toBe(true);

  const retention = startRetention(stores, { onError: (error) => expect.unreachable(String(error)) });
  now += 30 * dayMs;
  retention.wake();
  await retention.idle();
  expect(stores.runs.findRunDetail(run!.id)).toEqual(before);

  stores.storage.saveStorageSettings({ retentionDays: 29, budgetBytes: null });
  retention.wake();
  await retention.idle();
  const { results, seriesRemovedAt, ...kept } = stores.runs.findRunDetail(run!.id)!;
  expect(seriesRemovedAt).toBe(now);
  expect(results.every(({ series, log }) => series.length === 0 && log.length === 0)).toBe(true);
  expect(results.map(({ latency, counters }) => ({ latency, counters }))).toEqual(
    before.results.map(({ latency, counters }) => ({ latency, counters })),
  );
  const { results: _, ...figures } = before;
  expect(kept).toEqual({ ...figures, files: [] });
  expect(stores.runs.listRunLogLines(run!.id)).toEqual([]);
  for (const { id } of spared.runs) {
    expect(stores.runs.findRun(id)).not.toHaveProperty('seriesRemovedAt');
    expect(stores.runs.listRoleResults(id).some(({ series }) => series.length > 0)).toBe(true);
  }
  expect(stores.changes.listChanges()).toMatchObject([
    {
      actor: 'retention',
      subject: `/experiments/${old.id}`,
      after: { runs: old.runs.length, retentionDays: 29 },
    },
  ]);

  // Later definitions cannot recompute these figures.
  stores.runs.saveDefinitions(run!.id, definitionsVersion - 1);
  const redefining = startRedefining(stores, {
    onDone: () => {},
    onDamaged: (_id, error) => expect.unreachable(String(error)),
    onError: (error) => expect.unreachable(String(error)),
    now: () => now,
  });
  await redefining.idle();
  expect(stores.runs.findRun(run!.id)?.metrics).toEqual(before.metrics);
  await retention.stop();
});

/** Two experiments whose series are due. */
function playExpired() {
  let now = 10_000;
  const stores = makeTestStores(() => now);
  const played = [playExperiment(stores), playExperiment(stores)];
  now += 30 * dayMs;
  stores.storage.saveStorageSettings({ retentionDays: 29, budgetBytes: null });
  const runs = played.flatMap((one) => one.runs);
  const logged = () => stores.changes.listChanges().map(({ subject, after }) => [subject, after?.runs]);
  return { stores, runs, logged, ids: played.map(({ id }) => id) };
}

it('logs the files removed before a failure, and the rest after the next attempt', async () => {
  const { stores, runs, logged, ids } = playExpired();
  let calls = 0;
  const failing = {
    ...stores.storage,
    removeDueSeries() {
      calls += 1;
      if (calls === 4) throw new StorageError('full', 'The disk is full.', { remedy: 'Make room.' });
      return stores.storage.removeDueSeries();
    },
  };
  const errors: unknown[] = [];
  const retention = startRetention(
    { ...stores, storage: failing },
    { onError: (error) => errors.push(error) },
  );
  await retention.idle();
  expect(errors).toMatchObject([{ code: 'full' }]);
  const before = logged();
  expect(before.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(3);

  retention.wake();
  await retention.idle();
  const sums = ids.map((id) =>
    logged().reduce((sum, [subject, n]) => sum + (subject === `/experiments/${id}` ? Number(n) : 0), 0),
  );
  expect(sums).toEqual([runs.length / 2, runs.length / 2]);
  await retention.stop();
});

it('continues after a run whose results cannot be read', async () => {
  const { stores, runs } = playExpired();
  stores.database.run("UPDATE run_results SET body_packed = x'00' WHERE run_id = :id", { id: runs[1]!.id });
  const retention = startRetention(stores, { onError: (error) => expect.unreachable(String(error)) });
  await retention.idle();
  for (const { id } of runs) expect(stores.runs.findRun(id)).toHaveProperty('seriesRemovedAt');
  await retention.stop();
});

it('reports disk usage, and warns above the budget', async () => {
  const stores = makeTestStores();
  const { id } = playExperiment(stores);
  const usage = await stores.storage.measureUsage();
  const sizeOf = (start: string) => usage.parts.find(({ what }) => what.startsWith(start))?.bytes ?? 0;
  expect(usage.parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(usage.usedBytes);
  expect(usage.experiments).toMatchObject([
    { id, name: 'TLS or not', bytes: sizeOf('Series') + sizeOf('Evidence') + sizeOf('Logs') },
  ]);
  expect(sizeOf('Series')).toBeGreaterThan(0);
  expect(stores.storage.overBudget()).toBeUndefined();
  stores.storage.saveStorageSettings({ retentionDays: null, budgetBytes: 1000 });
  expect(stores.storage.overBudget()).toMatch(/^The data uses .* more than the budget of .*1\.00.kB/);
  expect(stores.experiments.listExperiments({ status: 'all', offset: 0, limit: 1 }).overBudget).toBe(
    stores.storage.overBudget(),
  );
});
