import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { BundleImport } from '@mqttlab/shared/messages/http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProblemError } from '../base/errors.ts';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { bundleFiles, runFileOf } from './bundle-format.ts';
import { type BundleService, makeBundleService } from './bundle-service.ts';
import { openZip } from './read-zip.ts';
import { packBundle } from './testing/pack-bundle.ts';

const memoryMb = 64;
const never = new AbortController().signal;
let folder: string;
let stores: ReturnType<typeof makeTestStores>;
let service: BundleService;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-large-'));
  stores = makeTestStores();
  const software = 'mqttlab test';
  service = makeBundleService({
    stores,
    software,
    nowMs: Date.now,
    memoryMb,
    folder,
    testbedFor: () => 'local',
  });
});
afterEach(() => {
  stores.database.close();
  rmSync(folder, { recursive: true });
});

/** A valid bundle; added files keep the compression ratio below that of a zip bomb. */
async function makeFiles(): Promise<Map<string, string>> {
  const { id, runs } = playExperiment(stores, { repetitions: 2 });
  const packed = await buffer(await service.exportBundle(id, never));
  stores.experiments.purgeExperiment(id);
  const zip = await openZip(packed, packed.length);
  const names = [bundleFiles.experiment, bundleFiles.plan, ...runs.map((run) => runFileOf(run.id))];
  const files = await Promise.all(
    names.map(async (name) => [name, (await zip.read(name)).toString()] as const),
  );
  zip.close();
  return new Map([...files, ['noise', randomBytes(2_000_000).toString('base64')]]);
}

const take = (bytes: Buffer, signal = never) =>
  service.receiveBundle({ packed: Readable.from([bytes]), key: 'mine', totalBytes: bytes.length, signal });
const refusalOf = (taking: Promise<number>) =>
  taking.then(
    () => 'taken',
    (error: unknown) => (error instanceof ProblemError ? error.message : error),
  );
/** Rows of every table that an import writes to, and files. */
const leftovers = () => [
  ...['experiments', 'experiment_tags', 'runs', 'run_metrics', 'run_results', 'run_series'].filter(
    (table) => stores.database.get(`SELECT 1 FROM ${table}`) !== undefined,
  ),
  ...(existsSync(join(folder, 'bundles')) ? readdirSync(join(folder, 'bundles')) : []),
];

it('a bundle whose JSON needs too much memory is refused, and the server continues', async () => {
  const files = await makeFiles();
  const plan = bundleFiles.plan;
  const bomb = await packBundle(new Map([...files, [plan, `[${'[],'.repeat(8_000_000)}[]]`]]));
  expect(await refusalOf(take(bomb))).toMatch(/needs more than 64 MiB of memory. Nothing from it was stored/);
  expect(leftovers()).toEqual([]);
  expect(await take(await packBundle(files))).toBeGreaterThan(0);
});

it('a bundle with an oversized file is refused before it is read', async () => {
  const files = await makeFiles();
  const bomb = await packBundle(new Map([...files, [bundleFiles.plan, ' '.repeat(140_000_000)]]));
  expect(await refusalOf(take(bomb))).toMatch(/"plan.json" would unpack to 140\.0 MB/);
  expect(leftovers()).toEqual([]);
});

it('reports its progress, and leaves nothing when it is cancelled or its sender disconnects', async () => {
  const packed = await packBundle(await makeFiles());
  const seen: BundleImport['state'][] = [];
  const whenStoring = async (): Promise<void> => {
    for (;;) {
      const [work] = service.listImports();
      if (work && seen.at(-1) !== work.state) seen.push(work.state);
      if (work?.state === 'storing') return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const taking = refusalOf(take(packed));
  await whenStoring();
  expect(service.cancelImport('another')).toBe(false);
  expect(service.cancelImport('mine')).toBe(true);
  expect(await taking).toBe('The import was cancelled.');
  expect(seen).toContain('checking');
  expect(leftovers()).toEqual([]);

  const gone = new AbortController();
  const hungUp = refusalOf(take(packed, gone.signal));
  await whenStoring();
  gone.abort(new ProblemError({ status: 409, detail: 'gone', remedy: 'none' }));
  expect(await hungUp).toBe('gone');
  expect(leftovers()).toEqual([]);
  expect(service.listImports()).toEqual([]);
});

it('unfinished imports of an earlier server process are removed at the start', async () => {
  const { id } = playExperiment(stores);
  stores.experiments.updateExperiment(id, { deletedAt: 5 });
  stores.experiments.markUnfinishedImport(id);
  const kept = playExperiment(stores);
  mkdirSync(join(folder, 'bundles'));
  writeFileSync(join(folder, 'bundles', 'bundle-1.zip'), 'half');
  service.start();
  expect(existsSync(join(folder, 'bundles'))).toBe(false);
  expect(stores.experiments.findExperiment(id)).toBe(null);
  expect(stores.runs.listRuns(id)).toEqual([]);
  expect(stores.runs.listRuns(kept.id)).toHaveLength(6);
});
