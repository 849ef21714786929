import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import type { Trial } from '@mqttlab/shared/domain/plans/plan';
import type { PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { planForeign } from '@mqttlab/shared/foreign/plan-foreign';
import type { ForeignImport } from '@mqttlab/shared/messages/foreign';
import type { BundleImport } from '@mqttlab/shared/messages/http';
import { conflict, ProblemError, unprocessable } from '../base/errors.ts';
import { programOf } from '../results/answer-queue.ts';
import { refreshHeadline } from '../results/finish-run.ts';
import { makeAnswerStore } from '../store/experiments/answer-store.ts';
import type { Stores } from '../store/stores.ts';
import { openBundleKey } from './bundle-format.ts';
import {
  type BundleReader,
  openBundleInProcess,
  type ReadRun,
  writeBundleInProcess,
} from './open-bundle-process.ts';
import { impossibleMetrics } from './read-bundle.ts';
import { type BundledStores, writeBundle } from './write-bundle.ts';

/** Maximum file size. 10,000 runs of one minute need about half of it. */
const maxPackedBytes = 1024 * 1024 * 1024;
/** Maximum number of files on disk that are waiting to be read. */
const maxImports = 4;
/** Maximum number of parallel exports, each in its own process. */
const maxExports = 4;
/** Maximum number of issues in a response, because the same mistake often occurs in every run. */
const maxIssues = 20;

interface IncomingBundle {
  packed: Readable;
  /** Key with which the caller requests the progress. */
  key: string;
  /** Announced size; null if unknown. */
  totalBytes: number | null;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /**
   * True to import values that the evidence does not support, marked as altered; otherwise such a bundle is
   * refused.
   */
  acceptsAltered?: boolean;
}

interface BundleServiceOptions extends ImportTarget {
  /** The data folder, which contains the signing key, and bundles while they are being read. */
  folder: string;
  /** Name and version of the software in bundles. */
  software: string;
  /** Called after each import, because its figures may have to be recomputed. */
  onImported?: () => void;
  /** Called if a temporary file could not be removed. */
  onError?: (error: unknown) => void;
  /** Heap size of the process that reads a bundle; the default is enough for 10,000 runs. */
  memoryMb?: number;
}

interface ImportWork {
  shown: BundleImport;
  stop: AbortController;
}

export type BundleService = ReturnType<typeof makeBundleService>;

/** Exports experiments as research bundles and imports them, one after the other. */
export function makeBundleService(options: BundleServiceOptions) {
  const { stores, software, folder } = options;
  const { database } = stores;
  const keyPath = join(folder, 'pki', 'bundle-key.pem');
  /** Emptied at each start of the server. */
  const workFolder = join(folder, 'bundles');
  const works = new Set<ImportWork>();
  const exports = new Set<AbortController>();
  let last: Promise<unknown> = Promise.resolve();
  let nextFile = 1;

  const read = async (
    path: string,
    { shown, stop: { signal } }: ImportWork,
    acceptsAltered: boolean,
  ): Promise<number> => {
    signal.throwIfAborted();
    const { size } = await stat(path);
    const note = (state: BundleImport['state']) => (done: number, all: number) =>
      void Object.assign(shown, { state, done, all });
    const { memoryMb } = options;
    const source = { path, bytes: size, acceptsAltered };
    const watched = { signal, onProgress: note('checking') };
    const bundle = await openBundleInProcess(source, { ...watched, ...(memoryMb ? { memoryMb } : {}) });
    try {
      const source = { ...bundle, origin: originOf(bundle, stores.signers) };
      const id = await importRuns(source, options, { signal, onRun: note('storing') });
      options.onImported?.();
      return id;
    } finally {
      bundle.close();
    }
  };

  return {
    /** Exports a bundle. Rejects with a problem, or with the reason of `signal`. */
    async exportBundle(
      experimentId: number,
      signal: AbortSignal,
      packets: PacketChoice = 'none',
    ): Promise<Readable> {
      signal.throwIfAborted();
      if (exports.size >= maxExports) {
        throw conflict(`${maxExports} bundles are being exported.`, 'Try again when one is complete.');
      }
      // Opened before a process reads the key, so that two processes do not each create a key.
      const key = openBundleKey(keyPath);
      const choice = { experimentId, packets, software };
      const stop = new AbortController();
      const leave = (): void => stop.abort(signal.reason);
      const end = (): void => {
        signal.removeEventListener('abort', leave);
        exports.delete(stop);
      };
      signal.addEventListener('abort', leave, { once: true });
      exports.add(stop);
      try {
        const { path } = database;
        const bundle =
          path === null
            ? writeBundle(stores, {
                ...choice,
                stored: makeAnswerStore(database, programOf(software)),
                key,
                signal: stop.signal,
              })
            : await writeBundleInProcess({ ...choice, databasePath: path, keyPath }, stop.signal);
        finished(bundle, end);
        return bundle;
      } catch (error) {
        end();
        throw error;
      }
    },
    /**
     * Resolves with the number of the new experiment. Rejects with a problem, or with the reason of `signal`.
     */
    async receiveBundle(incoming: IncomingBundle): Promise<number> {
      const { packed, key: importKey, totalBytes, signal, acceptsAltered = false } = incoming;
      if (works.size >= maxImports) {
        throw conflict(
          `${maxImports} bundles are being imported.`,
          'Wait until one is complete, or cancel it.',
        );
      }
      const shown: BundleImport = { key: importKey, state: 'receiving', done: 0, all: totalBytes };
      const work: ImportWork = { shown, stop: new AbortController() };
      const abortImport = (): void => work.stop.abort(signal.reason);
      signal.addEventListener('abort', abortImport, { once: true });
      works.add(work);
      mkdirSync(workFolder, { recursive: true, mode: 0o700 });
      const path = join(workFolder, `bundle-${nextFile}.zip`);
      nextFile += 1;
      try {
        const count = countBytes(maxPackedBytes, (bytes) => void Object.assign(shown, { done: bytes }));
        await pipeline(packed, count, createWriteStream(path), { signal: work.stop.signal });
        Object.assign(shown, { state: 'waiting', done: 0, all: null });
        const reading = last.then(() => read(path, work, acceptsAltered));
        last = reading.catch(() => {});
        return await reading;
      } catch (error) {
        // The error of an aborted stream does not contain the cause.
        throw work.stop.signal.aborted ? work.stop.signal.reason : error;
      } finally {
        works.delete(work);
        signal.removeEventListener('abort', abortImport);
        // The import counts even if its file cannot be removed; the next start of the server removes it.
        await rm(path, { force: true }).catch((error: unknown) => options.onError?.(error));
      }
    },
    /**
     * Stores measurements from another tool, marked as foreign. Resolves and rejects like `receiveBundle`.
     */
    receiveForeign: (asked: ForeignImport, signal: AbortSignal): Promise<number> =>
      importRuns(foreignSource(asked, options), options, { signal, onRun: () => {} }),
    /** Returns the pending imports, oldest first. */
    listImports: (): BundleImport[] => [...works].map(({ shown }) => ({ ...shown })),
    /** Cancels an import. Returns false if there is no import with this key. */
    cancelImport(importKey: string): boolean {
      const work = [...works].find(({ shown }) => shown.key === importKey);
      work?.stop.abort(conflict('The import was cancelled.', 'Nothing from the bundle was stored.'));
      return work !== undefined;
    },
    /** Removes unfinished files left by an earlier server process. */
    start(): void {
      try {
        rmSync(workFolder, { recursive: true, force: true });
      } catch (error) {
        options.onError?.(error);
      }
      for (const id of stores.experiments.listUnfinishedImports()) {
        database.transaction(() => stores.experiments.purgeExperiment(id));
      }
    },
    /** Ends every export; imports end with the connections of their senders. */
    stop(): void {
      for (const work of exports) work.abort(new Error('The server is stopping.'));
    },
  };
}

function countBytes(most: number, onBytes: (seen: number) => void): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      onBytes(seen);
      if (seen <= most) done(null, chunk);
      else {
        const detail = `The bundle is larger than ${most / 1024 ** 2} MiB.`;
        done(new ProblemError({ status: 413, detail, remedy: 'Import the experiments one by one.' }));
      }
    },
  });
}

interface ImportTarget {
  stores: BundledStores & Pick<Stores, 'database' | 'signers'>;
  /** Returns the testbed for a clone if the bundle's testbed is unknown on this server. */
  testbedFor(testbedId: string): string;
  nowMs(): number;
}

/** A complete experiment from another server or tool. */
interface ImportSource extends Pick<BundleReader, 'plan' | 'runs' | 'eachRun'> {
  head: Pick<BundleReader['head'], 'draft' | 'definitions' | 'status' | 'startedAt' | 'finishedAt'>;
  origin: Omit<NonNullable<ExperimentSummary['imported']>, 'at'>;
}

interface ImportWatch {
  onRun: (done: number, all: number) => void;
  signal: AbortSignal;
}

/**
 * Stores an import as a new experiment with the same plan, runs, metrics, verdicts and series. It is hidden
 * until it is complete. An incomplete import leaves nothing behind. Resolves with the number of the
 * experiment. Rejects with a 422 problem if the bundle is invalid, with StorageError if the disk fails, or
 * with the reason of `signal`.
 */
async function importRuns(
  source: ImportSource,
  target: ImportTarget,
  { onRun, signal }: ImportWatch,
): Promise<number> {
  const { stores } = target;
  const { database } = stores;
  const id = database.transaction(() => begin(source, target));
  try {
    const numbers = new Map<number, number>();
    for await (const read of source.eachRun()) {
      signal.throwIfAborted();
      // Each run is stored in its own transaction, so that other writes can run in between.
      const definitions = definitionsOf(source.head.definitions);
      database.transaction(() =>
        numbers.set(read.run.id, keepRun(stores, id, { read, numbers, definitions })),
      );
      onRun(numbers.size, source.runs);
    }
    signal.throwIfAborted();
    database.transaction(() => finish(source, { ...target, id }));
    return id;
  } catch (error) {
    // If that also fails, the next start of the server does it.
    database.transaction(() => stores.experiments.purgeExperiment(id));
    throw error;
  }
}

/**
 * Returns the version of the definitions to store. Figures from other versions, earlier or later, are
 * recomputed after the import.
 */
function definitionsOf(version: number): number {
  return version === definitionsVersion ? version : Math.min(version, definitionsVersion - 1);
}

/** Creates the experiment, marked as unfinished; it is deleted unless the import is completed. */
function begin({ head, plan }: ImportSource, { stores, testbedFor, nowMs }: ImportTarget): number {
  const { experiments } = stores;
  const { id } = experiments.createExperiment({ ...head.draft, testbedId: testbedFor(head.draft.testbedId) });
  experiments.savePlan(id, plan);
  experiments.updateExperiment(id, { deletedAt: nowMs() });
  experiments.markUnfinishedImport(id);
  return id;
}

/** Maximum size of one stored part of a file next to a result. */
const partBytes = 1024 * 1024;

interface KeptRun {
  read: ReadRun;
  /** New run numbers by original run number. */
  numbers: ReadonlyMap<number, number>;
  /** Version of the definitions with which the figures were computed. */
  definitions: number;
}

function keepRun(
  { runs, runFiles }: BundledStores,
  experimentId: number,
  { read, numbers, definitions }: KeptRun,
): number {
  const { run: old, results, files } = read;
  const run = runs.createRun({
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
      runFiles.saveFilePart(key, { part, bytes: bytes.subarray(at, at + partBytes), isLast });
    }
  }
  const { verdicts, metrics, bases = {}, measuredAt, startedAt, finishedAt } = old;
  runs.saveRunSummary(run.id, { verdicts, metrics, bases, definitions });
  if (old.redefined) runs.noteRedefined(run.id, old.redefined);
  if (old.seriesRemovedAt !== undefined) runs.updateRun(run.id, { seriesRemovedAt: old.seriesRemovedAt });
  runs.updateRun(run.id, {
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

function finish({ head, origin }: ImportSource, { id, stores, nowMs }: ImportTarget & { id: number }): void {
  const { experiments } = stores;
  const { status, startedAt, finishedAt } = head;
  experiments.updateExperiment(id, {
    status,
    ...(startedAt === null ? {} : { startedAt }),
    ...(finishedAt === null ? {} : { finishedAt }),
    deletedAt: null,
  });
  experiments.markImported(id, { ...origin, at: nowMs() });
  refreshHeadline(stores, id);
}

function originOf(
  { head, fingerprint, altered }: BundleReader,
  signers: Pick<Stores['signers'], 'findSignerName'>,
): ImportSource['origin'] {
  const signer = signers.findSignerName(fingerprint) ?? 'unknown signer';
  return {
    from: `experiment ${head.id} of ${head.software}, signed by ${fingerprint} (${signer})`,
    signer: fingerprint,
    ...(altered === null ? {} : { altered }),
    ...(head.foreign ? { foreign: head.foreign } : {}),
    ...(head.authorship ? { authorship: head.authorship } : {}),
  };
}

/**
 * Returns the measurements as an import. Throws a 422 problem with every issue: unknown metrics, impossible
 * values.
 */
function foreignSource(
  asked: ForeignImport,
  { testbedFor, nowMs }: Pick<ImportTarget, 'testbedFor' | 'nowMs'>,
): ImportSource {
  const planned = planForeign(asked, testbedFor(''));
  if (!planned.ok) throw unprocessable('The measurements cannot be imported.', planned.issues);
  const { draft, plan } = planned;
  const impossible = asked.runs.flatMap((run, index) =>
    [...impossibleMetrics(run.metrics)].map(([id, reason]) => ({
      field: `runs[${index}].metrics.${id}`,
      reason,
      remedy: 'Check column and unit.',
    })),
  );
  if (impossible.length > 0) {
    throw unprocessable('The measurements cannot be imported.', impossible.slice(0, maxIssues));
  }
  const at = nowMs();
  const starts = asked.runs.map(({ startedAt }) => startedAt ?? at);
  const { tool, source } = asked;
  return {
    head: {
      draft,
      definitions: definitionsVersion,
      status: 'done',
      startedAt: starts.reduce((a, b) => Math.min(a, b), at),
      finishedAt: starts.reduce((a, b) => Math.max(a, b), 0),
    },
    plan,
    runs: asked.runs.length,
    origin: { from: source === '' ? tool : `${tool}: ${source}`, foreign: { tool, source } },
    async *eachRun() {
      for (const [index, trial] of plan.trials.entries()) {
        const { metrics = {}, startedAt = null } = asked.runs[index] ?? {};
        await yieldToEventLoop();
        yield { run: makeForeignRun(trial, { metrics, startedAt }), results: [], files: [] };
      }
    },
  };
}

/** Creates a finished run without evidence, that is, without verdicts and results. */
function makeForeignRun(
  { number, block, treatmentKey }: Trial,
  { metrics, startedAt }: { metrics: Record<string, number>; startedAt: number | null },
): ReadRun['run'] {
  return {
    id: number,
    experimentId: 1,
    trialNumber: number,
    block,
    treatmentKey,
    attempt: 1,
    retryOf: null,
    status: 'done',
    startedAt,
    finishedAt: null,
    flagged: false,
    failure: null,
    verdicts: [],
    metrics,
    notes: '',
    tags: [],
    exclusion: null,
    measuredAt: null,
    overheadMs: null,
  };
}
