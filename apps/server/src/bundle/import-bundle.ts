import { refreshHeadline } from '../analysis/finish-run.ts';
import type { AnalysisStores } from '../analysis/stores.ts';
import type { Database } from '../store/database.ts';
import type { BundledRun } from './bundle-format.ts';
import type { OpenBundle } from './read-bundle.ts';

export interface ImportTarget {
  database: Pick<Database, 'transaction'>;
  stores: AnalysisStores;
  /** Where a clone would run, if the testbed of the bundle is not known here. */
  testbedFor(testbedId: string): string;
  now(): number;
}

/**
 * Keeps a bundle as an experiment of its own, all or nothing: same plan, runs, metrics, verdicts, series. Returns its
 * number. Throws a 422 problem of the bundle, StorageError of the disk.
 */
export async function importBundle(bundle: OpenBundle, target: ImportTarget): Promise<number> {
  const { experiment } = bundle;
  const results = new Map<number, BundledRun>();
  for (const { id } of experiment.runs) {
    const run = await bundle.readRun(id);
    if (run) results.set(id, run);
  }
  return target.database.transaction(() => keep(bundle, results, target));
}

function keep(
  { experiment, plan, fingerprint }: OpenBundle,
  results: ReadonlyMap<number, BundledRun>,
  { stores, testbedFor, now }: ImportTarget,
): number {
  const { experiments, runs } = stores;
  const { draft } = experiment;
  const { id } = experiments.create({ ...draft, testbedId: testbedFor(draft.testbedId) });
  experiments.savePlan(id, plan);
  const numbers = new Map<number, number>();
  for (const old of experiment.runs.toSorted((a, b) => a.id - b.id)) {
    const run = runs.create({
      experimentId: id,
      trialNumber: old.trialNumber,
      block: old.block,
      treatmentKey: old.treatmentKey,
      attempt: old.attempt,
      retryOf: old.retryOf === null ? null : (numbers.get(old.retryOf) ?? null),
    });
    numbers.set(old.id, run.id);
    for (const { deviceId, result } of results.get(old.id)?.results ?? []) {
      runs.saveResult(run.id, deviceId, result);
    }
    const { verdicts, metrics, bases = {}, measuredAt, startedAt, finishedAt } = old;
    runs.saveSummary(run.id, { verdicts, metrics, bases });
    runs.update(run.id, {
      status: old.status,
      ...(startedAt === null ? {} : { startedAt }),
      ...(finishedAt === null ? {} : { finishedAt }),
      ...(measuredAt === null ? {} : { measuredAt }),
      failure: old.failure,
      notes: old.notes,
      tags: old.tags,
      exclusion: old.exclusion,
    });
  }
  experiments.update(id, {
    status: experiment.status,
    ...(experiment.startedAt === null ? {} : { startedAt: experiment.startedAt }),
    ...(experiment.finishedAt === null ? {} : { finishedAt: experiment.finishedAt }),
  });
  experiments.markImported(id, {
    from: `experiment ${experiment.id} of ${experiment.software}, signed by ${fingerprint}`,
    at: now(),
  });
  refreshHeadline(stores, id);
  return id;
}
