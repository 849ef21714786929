import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { refreshHeadline } from '../analysis/finish-run.ts';
import type { Database } from '../store/database.ts';
import type { BundleReader, ReadRun } from './open-bundle-process.ts';
import type { BundledStores } from './write-bundle.ts';

export interface ImportTarget {
  database: Pick<Database, 'transaction'>;
  stores: BundledStores;
  /** Where a clone would run, if the testbed of the bundle is not known here. */
  testbedFor(testbedId: string): string;
  now(): number;
  /** Name of a trusted signer by the fingerprint of its key; null for all others. */
  signerOf(fingerprint: string): string | null;
}

export interface ImportWatch {
  onRun: (done: number, all: number) => void;
  signal: AbortSignal;
}

/**
 * Keeps a bundle as an experiment of its own: same plan, runs, metrics, verdicts, series. Nobody sees it before all of
 * it is there, and what ends before that leaves nothing. Returns its number. Rejects with a 422 problem of the bundle,
 * StorageError of the disk, or the reason of `signal`.
 */
export async function importBundle(
  bundle: BundleReader,
  target: ImportTarget,
  { onRun, signal }: ImportWatch,
): Promise<number> {
  const { database, stores } = target;
  const id = database.transaction(() => begin(bundle, target));
  try {
    const numbers = new Map<number, number>();
    for await (const read of bundle.eachRun()) {
      signal.throwIfAborted();
      // A transaction for each, so that whatever else is to be written comes in between.
      const definitions = definitionsOf(bundle.head.definitions);
      database.transaction(() =>
        numbers.set(read.run.id, keepRun(stores, id, { read, numbers, definitions })),
      );
      onRun(numbers.size, bundle.runs);
    }
    signal.throwIfAborted();
    database.transaction(() => finish(bundle, { ...target, id }));
    return id;
  } catch (error) {
    // Where that fails too, the next start does it.
    database.transaction(() => stores.experiments.purge(id));
    throw error;
  }
}

/** Figures by other definitions, earlier or later, are computed again after the import. */
function definitionsOf(version: number): number {
  return version === definitionsVersion ? version : Math.min(version, definitionsVersion - 1);
}

/** Marked as unfinished and deleted, until everything is there. */
function begin({ head, plan }: BundleReader, { stores, testbedFor, now }: ImportTarget): number {
  const { experiments } = stores;
  const { id } = experiments.create({ ...head.draft, testbedId: testbedFor(head.draft.testbedId) });
  experiments.savePlan(id, plan);
  experiments.update(id, { deletedAt: now() });
  experiments.markUnfinishedImport(id);
  return id;
}

/** Of a file beside a result, in one row. */
const partBytes = 1024 * 1024;

interface KeptRun {
  read: ReadRun;
  /** New by old. */
  numbers: ReadonlyMap<number, number>;
  /** By which its figures were computed. */
  definitions: number;
}

function keepRun(
  { runs, runFiles }: BundledStores,
  experimentId: number,
  { read, numbers, definitions }: KeptRun,
): number {
  const { run: old, results, files } = read;
  const run = runs.create({
    experimentId,
    trialNumber: old.trialNumber,
    block: old.block,
    treatmentKey: old.treatmentKey,
    attempt: old.attempt,
    retryOf: old.retryOf === null ? null : (numbers.get(old.retryOf) ?? null),
  });
  for (const { deviceId, result } of results) runs.saveResult(run.id, deviceId, result);
  for (const { name, device, bytes } of files) {
    const key = { runId: run.id, deviceId: device, name };
    for (let at = 0, part = 0; at < bytes.length; at += partBytes, part += 1) {
      const isLast = at + partBytes >= bytes.length;
      runFiles.savePart(key, { part, bytes: bytes.subarray(at, at + partBytes), isLast });
    }
  }
  const { verdicts, metrics, bases = {}, measuredAt, startedAt, finishedAt } = old;
  runs.saveSummary(run.id, { verdicts, metrics, bases, definitions });
  if (old.redefined) runs.noteRedefined(run.id, old.redefined);
  if (old.seriesRemovedAt !== undefined) runs.update(run.id, { seriesRemovedAt: old.seriesRemovedAt });
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
  return run.id;
}

function finish(
  { head, fingerprint, altered }: BundleReader,
  { id, stores, now, signerOf }: ImportTarget & { id: number },
): void {
  const { experiments } = stores;
  const { status, startedAt, finishedAt, software } = head;
  const signer = signerOf(fingerprint) ?? 'unknown signer';
  experiments.update(id, {
    status,
    ...(startedAt === null ? {} : { startedAt }),
    ...(finishedAt === null ? {} : { finishedAt }),
    deletedAt: null,
  });
  experiments.markImported(id, {
    from: `experiment ${head.id} of ${software}, signed by ${fingerprint} (${signer})`,
    at: now(),
    signer: fingerprint,
    ...(altered === null ? {} : { altered }),
  });
  refreshHeadline(stores, id);
}
