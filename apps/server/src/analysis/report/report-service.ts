import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ReportInput } from '@mqttlab/shared/analysis/report/report-input';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { EncodedJson } from '../../base/encoded-json.ts';
import { stringifyInSlices } from '../../base/json-slices.ts';
import type { AnalysisStores } from '../select-runs.ts';
import { checkQuestion, collectReport, type ReportQuestion, type WholeQuestion } from './collect-report.ts';

interface ReportProgress {
  state: 'idle' | 'working' | 'ready';
  /** Parts made, of how many; 0 of 0 before that is known. */
  done: number;
  all: number;
}

interface Work {
  stamp: string;
  report: Promise<Report>;
  /** Made when it is first asked for. */
  encoded: Promise<EncodedJson> | null;
  progress: ReportProgress;
  readers: number;
  stop: AbortController;
}

/** Reports kept in memory; each is some hundred kilobytes. */
const capacity = 12;

export type ReportService = ReturnType<typeof makeReportService>;

/** Makes reports one after the other, in threads, and keeps the last ones. */
export function makeReportService(
  stores: AnalysisStores,
  software: string,
  /** Of the database, which the thread then reads itself; null for one in memory. */
  databasePath: string | null = null,
) {
  const works = new Map<string, Work>();
  let last: Promise<unknown> = Promise.resolve();

  const begin = ({ experimentId, takesFlagged }: ReportQuestion, stamp: string): Work => {
    const stop = new AbortController();
    const progress: ReportProgress = { state: 'working', done: 0, all: 0 };
    const make = async (): Promise<Report> => {
      const { signal } = stop;
      const question = { experimentId, takesFlagged, software };
      const work: ReportWork =
        databasePath === null
          ? { input: await collectReport(stores, question, signal) }
          : { databasePath, question: checkQuestion(stores, question) };
      const report = await runReportWorker(work, {
        signal,
        onProgress: (done, all) => Object.assign(progress, { done, all }),
      });
      progress.state = 'ready';
      return report;
    };
    const report = last.then(make, make);
    last = report.catch(() => {});
    return { stamp, report, encoded: null, progress, readers: 0, stop };
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

  const get = async (question: ReportQuestion, signal: AbortSignal): Promise<Report> => {
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
  };

  return {
    /**
     * The report, from memory while nothing in the experiment changed. Whoever gives up aborts `signal`; when the last
     * one does, the work ends. Rejects with a problem, or with the reason of `signal`.
     */
    get,
    /** The same as JSON, encoded once. */
    async encoded(question: ReportQuestion, signal: AbortSignal): Promise<EncodedJson> {
      const report = await get(question, signal);
      const work = works.get(keyOf(question));
      const encode = async () => new EncodedJson(Buffer.from(await stringifyInSlices(report)));
      // The experiment may have changed since.
      if (!work || (await work.report) !== report) return encode();
      work.encoded ??= encode();
      return work.encoded;
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
function stampOf({ experiments }: AnalysisStores, id: number): string {
  return experiments.revisionOf([id]);
}

/** What the thread is given: where to read, or what was read. */
export type ReportWork = { databasePath: string; question: WholeQuestion } | { input: ReportInput };

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
function runReportWorker(work: ReportWork, { onProgress, signal }: RunReportOptions): Promise<Report> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const worker = new Worker(findWorker(), {
      workerData: work,
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
