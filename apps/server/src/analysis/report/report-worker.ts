import { parentPort, workerData } from 'node:worker_threads';
import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import type { ReportInput } from '@mqttlab/shared/analysis/report/report-input';
import { openDatabaseToRead } from '../../store/database.ts';
import { makeExperimentStore } from '../../store/experiments/experiment-store.ts';
import { makeRunStore } from '../../store/runs/run-store.ts';
import { collectReport } from './collect-report.ts';
import type { ReportWork, WorkerMessage } from './report-service.ts';

const tell = (message: WorkerMessage): void => parentPort?.postMessage(message);

async function inputOf(work: ReportWork): Promise<ReportInput> {
  if ('input' in work) return work.input;
  const database = openDatabaseToRead(work.databasePath);
  try {
    const stores = { experiments: makeExperimentStore(database), runs: makeRunStore(database) };
    return await collectReport(stores, work.question);
  } finally {
    database.close();
  }
}

const input = await inputOf(workerData as ReportWork);
tell({ kind: 'report', report: makeReport(input, (done, all) => tell({ kind: 'progress', done, all })) });
