import { parentPort, workerData } from 'node:worker_threads';
import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import type { ReportInput } from '@mqttlab/shared/analysis/report/report-input';
import type { WorkerMessage } from './report-service.ts';

const tell = (message: WorkerMessage): void => parentPort?.postMessage(message);
const report = makeReport(workerData as ReportInput, (done, all) => tell({ kind: 'progress', done, all }));
tell({ kind: 'report', report });
