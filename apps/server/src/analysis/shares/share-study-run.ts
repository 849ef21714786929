import { isFinished } from '@mqttlab/shared/domain/runs/experiment';
import { needsReport } from '@mqttlab/shared/figures/studies/make-study-document';
import { studyFactsOf } from '@mqttlab/shared/figures/studies/study-facts';
import type { SharedContent } from '@mqttlab/shared/messages/shares';
import type { StudyRun, StudyRunPart } from '@mqttlab/shared/messages/studies';
import { notFound } from '../../errors.ts';
import type { StudyStore } from '../../store/experiments/study-store.ts';
import type { ShareSubject } from '../../store/settings/share-store.ts';
import { makeComparison } from '../compare.ts';
import type { ReportService } from '../report/report-service.ts';
import type { AnalysisStores } from '../stores.ts';
import { viewStudyRun } from '../view-study-run.ts';

export interface SharedStudyStores extends AnalysisStores {
  studies: Pick<StudyStore, 'findRun'>;
  reports: Pick<ReportService, 'get'>;
}

type Content = Extract<SharedContent['content'], { kind: 'study' }>;

/** Everything that the page of a study run is drawn from. Throws a 404 problem where there is no such run. */
export async function shareStudyRun(
  stores: SharedStudyStores,
  { studyRunId, flagged }: Extract<ShareSubject, { kind: 'study' }>,
) {
  const record = stores.studies.findRun(studyRunId);
  if (!record) throw notFound('study run', studyRunId);
  const run = viewStudyRun(stores, record);
  const results: Content['results'] = [];
  for (const part of run.parts) {
    const result = await resultOf(stores, { run, part, flagged });
    if (result) results.push(result);
  }
  const content: Content = { kind: 'study', run, flagged, results };
  const live = run.status === 'running';
  return { title: `${run.title}, ${run.scale} (study run ${run.id})`, content, live, settled: !live };
}

interface Asked {
  run: StudyRun;
  part: StudyRunPart;
  flagged: boolean;
}

async function resultOf(
  stores: SharedStudyStores,
  { run: { studyId }, part: { id, experimentId, status }, flagged }: Asked,
): Promise<Content['results'][number] | null> {
  const experiment = experimentId === null ? null : stores.experiments.detail(experimentId);
  if (experimentId === null || !experiment || experiment.deletedAt !== null) return null;
  const comparison = makeComparison(stores, { experiments: String(experimentId) });
  const first = experiment.runs.find((one) => one.status === 'done');
  const isDrawn = first !== undefined && needsReport({ studyId, partId: id });
  // Visitors of a link that is live come again and again: none of them sets such work going.
  const isReady = status !== null && isFinished(status);
  return {
    partId: id,
    comparison,
    facts: studyFactsOf(first && (stores.runs.detail(first.id) ?? undefined)),
    report:
      isDrawn && isReady
        ? await stores.reports.get({ experimentId, takesFlagged: flagged }, new AbortController().signal)
        : null,
  };
}
