import { existsSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { countingRuns } from '@mqttlab/shared/analysis/counting-runs';
import type { ReportInput, ReportRunData } from '@mqttlab/shared/analysis/report/report-input';
import { seriesKinds } from '@mqttlab/shared/analysis/report/series';
import type { CapturedRun } from '@mqttlab/shared/catalogue/evidence/capture-evidence';
import { machineOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { mergeResults } from '@mqttlab/shared/catalogue/evidence/merge-results';
import type { RadioResult } from '@mqttlab/shared/catalogue/evidence/radio-evidence';
import { failedIds, isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { conflict, notFound } from '../../base/errors.ts';
import type { AnalysisStores } from '../select-runs.ts';

export interface ReportQuestion {
  experimentId: number;
  takesFlagged: boolean;
}

interface ReportProgress {
  state: 'idle' | 'working' | 'ready';
  /** Parts made, of how many; 0 of 0 before that is known. */
  done: number;
  all: number;
}

interface Work {
  stamp: string;
  report: Promise<Report>;
  progress: ReportProgress;
  readers: number;
  stop: AbortController;
}

/** Reports kept in memory; each is some hundred kilobytes. */
const capacity = 12;

export type ReportService = ReturnType<typeof makeReportService>;

/** Makes reports one after the other, in threads, and keeps the last ones. */
export function makeReportService(stores: AnalysisStores, software: string) {
  const works = new Map<string, Work>();
  let last: Promise<unknown> = Promise.resolve();

  const begin = ({ experimentId, takesFlagged }: ReportQuestion, stamp: string): Work => {
    const stop = new AbortController();
    const progress: ReportProgress = { state: 'working', done: 0, all: 0 };
    const make = async (): Promise<Report> => {
      const { signal } = stop;
      const input = await collectReport(stores, experimentId, { takesFlagged, software, signal });
      const report = await runReportWorker(input, {
        signal,
        onProgress: (done, all) => Object.assign(progress, { done, all }),
      });
      progress.state = 'ready';
      return report;
    };
    const report = last.then(make, make);
    last = report.catch(() => {});
    return { stamp, report, progress, readers: 0, stop };
  };

  const workOf = (question: ReportQuestion): Work => {
    const key = keyOf(question);
    const stamp = stampOf(stores, question.experimentId);
    const known = works.get(key);
    if (known?.stamp === stamp) return known;
    known?.stop.abort(new Error('The experiment changed while its report was made.'));
    const work = begin(question, stamp);
    works.delete(key);
    works.set(key, work);
    work.report.catch(() => {
      if (works.get(key) === work) works.delete(key);
    });
    const [oldest] = works.keys();
    if (works.size > capacity && oldest !== undefined) works.delete(oldest);
    return work;
  };

  return {
    /**
     * The report, from memory while nothing in the experiment changed. Whoever gives up aborts `signal`; when the last
     * one does, the work ends. Rejects with a problem, or with the reason of `signal`.
     */
    async get(question: ReportQuestion, signal: AbortSignal): Promise<Report> {
      const work = workOf(question);
      work.readers += 1;
      const leave = (): void => {
        work.readers -= 1;
        if (work.readers === 0 && work.progress.state === 'working') {
          if (works.get(keyOf(question)) === work) works.delete(keyOf(question));
          work.stop.abort(signal.reason);
        }
      };
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      try {
        return await work.report;
      } finally {
        signal.removeEventListener('abort', leave);
        if (!signal.aborted) work.readers -= 1;
      }
    },
    progress(question: ReportQuestion): ReportProgress {
      const work = works.get(keyOf(question));
      if (!work || work.stamp !== stampOf(stores, question.experimentId)) {
        return { state: 'idle', done: 0, all: 0 };
      }
      return { ...work.progress };
    },
    /** Ends all work. Idempotent. */
    stop(): void {
      for (const { stop } of works.values()) stop.abort(new Error('The server stops.'));
      works.clear();
    },
  };
}

function keyOf({ experimentId, takesFlagged }: ReportQuestion): string {
  return `${experimentId} ${takesFlagged}`;
}

/** Changes with everything that a report shows. */
function stampOf({ experiments, runs }: AnalysisStores, id: number): string {
  const summary = experiments.summary(id);
  const head = summary && [summary.name, summary.question, summary.notes, summary.tags, summary.status];
  return JSON.stringify([head, runs.stampOf(id)]);
}

interface CollectOptions {
  takesFlagged: boolean;
  software: string;
  signal: AbortSignal;
}

/**
 * Reads everything a report needs, one Run at a time with a pause between them, so that others are served meanwhile.
 * Throws a 404 or 409 problem where there is nothing to report on, and the reason of `signal`.
 */
async function collectReport(
  stores: AnalysisStores,
  id: number,
  { takesFlagged, software, signal }: CollectOptions,
): Promise<ReportInput> {
  const record = stores.experiments.find(id);
  const summary = stores.experiments.summary(id);
  if (!record || !summary || record.deletedAt !== null) throw notFound('experiment', id);
  const { plan } = record;
  if (!plan) throw conflict(`Experiment ${id} is a draft: it has no runs to report on.`, 'Start it first.');
  const runs = await stores.runs.allOf(id);
  const data: ReportRunData[] = [];
  const radio: RadioResult[] = [];
  const captured: CapturedRun[] = [];
  for (const run of countingRuns(runs, true)) {
    signal.throwIfAborted();
    const results = stores.runs.results(run.id);
    if (takesFlagged || !run.flagged) data.push(dataOf(run.id, results));
    const isFirst = !captured.some(({ treatmentKey }) => treatmentKey === run.treatmentKey);
    // Packets are flagged where their bytes are: a busy CPU changes neither.
    const failed = failedIds(run.verdicts);
    const shows = takesFlagged || !isFlaggedForId({ flagged: run.flagged, failed }, 'wire.perMessage');
    for (const { role, device, share, ...result } of results) {
      if (result.radio) radio.push({ role, device, share, radio: result.radio });
      if (result.capture && isFirst && shows) {
        captured.push({ treatmentKey: run.treatmentKey, role, device, share, capture: result.capture });
      }
    }
    await breathe();
  }
  const { name, question, status, startedAt, finishedAt, testbedId, notes, tags, imported } = summary;
  return {
    experiment: { id, name, question, status, startedAt, finishedAt, testbedId, notes, tags, imported },
    plan,
    runs,
    data,
    radio,
    captured,
    takesFlagged,
    software,
  };
}

function dataOf(runId: number, results: readonly RoleResult[]): ReportRunData {
  return {
    runId,
    series: results.flatMap(({ role, series }) =>
      series
        .filter(({ metric }) => seriesKinds.some((kind) => kind.role === role && kind.metric === metric))
        .map((own) => ({ role, series: own })),
    ),
    latency: results.flatMap(({ role, latency }) => (role === 'subscriber' && latency ? [latency] : [])),
    phases: mergeResults(results.filter(({ role }) => role === 'publisher'))?.phases ?? [],
    rolePhases: [...new Set(results.map(({ role }) => role))].map((role) => ({
      role,
      phases: mergeResults(results.filter((result) => result.role === role))?.phases ?? [],
    })),
    energy: results.flatMap((result) =>
      result.energy ? [{ role: result.role, energy: result.energy, machine: machineOf(result) }] : [],
    ),
  };
}

export type WorkerMessage =
  | { kind: 'progress'; done: number; all: number }
  | { kind: 'report'; report: Report };

/** Beside this file in the bundle; in the source tree the module itself. */
function findWorker(): URL {
  const bundled = new URL('./report-worker.mjs', import.meta.url);
  return existsSync(fileURLToPath(bundled)) ? bundled : new URL('./report-worker.ts', import.meta.url);
}

interface RunReportOptions {
  onProgress: (done: number, all: number) => void;
  signal: AbortSignal;
}

/** Makes the report in a thread of its own. Rejects with the reason of `signal`, which ends the thread at once. */
function runReportWorker(input: ReportInput, { onProgress, signal }: RunReportOptions): Promise<Report> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const worker = new Worker(findWorker(), {
      workerData: input,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const end = (): void => {
      reject(signal.reason);
      void worker.terminate();
    };
    signal.addEventListener('abort', end, { once: true });
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'progress') onProgress(message.done, message.all);
      else resolve(message.report);
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      signal.removeEventListener('abort', end);
      reject(new Error(`the report thread ended with ${code} and no report`));
    });
  });
}
