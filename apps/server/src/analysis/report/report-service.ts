import type { Report } from '@mqttlab/shared/domain/report/report';
import type { AnalysisStores } from '../stores.ts';
import { collectReport } from './collect-report.ts';
import { runReportWorker } from './run-report-worker.ts';

export interface ReportQuestion {
  experimentId: number;
  takesFlagged: boolean;
}

export interface ReportProgress {
  state: 'idle' | 'working' | 'ready';
  /** Parts made, of how many; 0 of 0 before that is known. */
  done: number;
  all: number;
}

export interface ReportService {
  /**
   * The report, from memory while nothing in the experiment changed. Whoever gives up aborts `signal`; when the last
   * one does, the work ends. Rejects with a problem, or with the reason of `signal`.
   */
  get(question: ReportQuestion, signal: AbortSignal): Promise<Report>;
  progress(question: ReportQuestion): ReportProgress;
  /** Ends all work. Idempotent. */
  stop(): void;
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

/** Makes reports one after the other, in threads, and keeps the last ones. */
export function makeReportService(stores: AnalysisStores, software: string): ReportService {
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
    async get(question, signal) {
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
    progress(question) {
      const work = works.get(keyOf(question));
      if (!work || work.stamp !== stampOf(stores, question.experimentId)) {
        return { state: 'idle', done: 0, all: 0 };
      }
      return { ...work.progress };
    },
    stop() {
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
