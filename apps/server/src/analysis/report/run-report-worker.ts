import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ReportInput } from '@mqttlab/shared/analysis/report/report-input';
import type { Report } from '@mqttlab/shared/domain/report/report';

export type WorkerMessage =
  | { kind: 'progress'; done: number; all: number }
  | { kind: 'report'; report: Report };

/** Beside this file in the bundle; in the source tree the module itself. */
function findWorker(): URL {
  const bundled = new URL('./report-worker.mjs', import.meta.url);
  return existsSync(fileURLToPath(bundled)) ? bundled : new URL('./report-worker.ts', import.meta.url);
}

export interface RunReportOptions {
  onProgress: (done: number, all: number) => void;
  signal: AbortSignal;
}

/** Makes the report in a thread of its own. Rejects with the reason of `signal`, which ends the thread at once. */
export function runReportWorker(
  input: ReportInput,
  { onProgress, signal }: RunReportOptions,
): Promise<Report> {
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
