import { isFinished } from '@mqttlab/shared/domain/runs/experiment';
import type { StudyRun } from '@mqttlab/shared/messages/studies';
import type { StudyRunRecord } from '../store/experiments/study-store.ts';
import type { AnalysisStores } from './stores.ts';

/** How far every part is now. */
export function viewStudyRun(
  { experiments }: Pick<AnalysisStores, 'experiments'>,
  record: StudyRunRecord,
): StudyRun {
  const views = record.parts.map((part) => {
    const summary = part.experimentId === null ? null : experiments.summary(part.experimentId);
    return {
      ...part,
      status: summary?.status ?? null,
      progress: summary?.progress ?? null,
      timeLeftMs: summary?.timeLeftMs ?? null,
    };
  });
  const known = views.flatMap(({ status }) => status ?? []);
  const isRunning = known.some((status) => !isFinished(status) && status !== 'draft');
  const wasEnded = known.some((status) => status === 'cancelled' || status === 'stopped');
  return { ...record, status: isRunning ? 'running' : wasEnded ? 'cancelled' : 'done', parts: views };
}
