import { clientMatrixTag, readClientMatrix } from '@mqttlab/shared/catalogue/client-matrix';
import type { ClaimBoard } from '@mqttlab/shared/domain/report/claims';
import type { Report, StudyFacts } from '@mqttlab/shared/domain/report/report';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { StudyRun, StudyRunPart } from '@mqttlab/shared/messages/studies';
import { makeBoard, type PartState } from '@mqttlab/studies/claims/board';
import { needsReport } from '@mqttlab/studies/page/make-study-document';
import { studyFactsOf } from '@mqttlab/studies/page/reasons';
import { findStudy } from '@mqttlab/studies/studies';
import { makeComparison } from './compare.ts';
import type { ReportQuestion } from './report/collect-report.ts';
import type { AnalysisStores } from './select-runs.ts';

export interface StudyResultStores extends AnalysisStores {
  reportOf: (question: ReportQuestion) => Promise<Report>;
}

/** What one part of a study run measured. */
export interface PartResult {
  partId: string;
  comparison: Comparison;
  facts: StudyFacts;
  /** null if nothing is drawn from it, or the part has not finished. */
  report: Report | null;
}

/** The results of every part whose experiment exists. */
export async function readStudyResults(
  stores: StudyResultStores,
  run: StudyRun,
  flagged: boolean,
): Promise<PartResult[]> {
  const results: PartResult[] = [];
  for (const part of run.parts) {
    const result = await readPart(stores, { studyId: run.studyId, part, flagged });
    if (result) results.push(result);
  }
  return results;
}

interface Asked {
  studyId: string;
  part: StudyRunPart;
  flagged: boolean;
}

async function readPart(
  stores: StudyResultStores,
  { studyId, part: { id, experimentId, status }, flagged }: Asked,
): Promise<PartResult | null> {
  const experiment = experimentId === null ? null : stores.experiments.detail(experimentId);
  if (experimentId === null || !experiment || experiment.deletedAt !== null) return null;
  const comparison = await makeComparison(stores, { experiments: String(experimentId) });
  const first = experiment.runs.find((one) => one.status === 'done');
  const isDrawn = first !== undefined && needsReport({ studyId, partId: id });
  // Requests for a running part repeat: none of them starts such work.
  const isReady = status !== null && isFinished(status);
  return {
    partId: id,
    comparison,
    facts: studyFactsOf(first && (stores.runs.detail(first.id) ?? undefined)),
    report: isDrawn && isReady ? await stores.reportOf({ experimentId, takesFlagged: flagged }) : null,
  };
}

/** The claims of the study of a run, judged by these results; none for a study that was saved here. */
export async function judgeStudyRun(
  stores: StudyResultStores,
  run: StudyRun,
  { results, flagged }: { results: readonly PartResult[]; flagged: boolean },
): Promise<ClaimBoard> {
  const study = run.own === null ? findStudy(run.studyId) : undefined;
  if (!study) return { claims: [], missing: [] };
  const clients = await readClients(stores, run.testbedId);
  return makeBoard(study, (partId): PartState => {
    const found = results.find((result) => result.partId === partId);
    if (!found) {
      const [left] = run.parts.find(({ id }) => id === partId)?.leftOut ?? [];
      return {
        missing: left ? `its part was not run: ${left.what}: ${left.reason}` : 'its part was not run',
      };
    }
    const { treatments } = found.comparison;
    if (treatments.every(({ runs: own }) => own.length === 0))
      return { missing: 'no run of its part has finished' };
    return { treatments, flagged, report: found.report, clients };
  });
}

/** The last client matrix of a testbed. */
async function readClients({ experiments, runs }: StudyResultStores, testbedId: string) {
  const { items } = experiments.list({ tag: clientMatrixTag, status: 'all', offset: 0, limit: 20 });
  const last = items.find((one) => one.testbedId === testbedId && one.progress.done > 0);
  const plan = last && experiments.find(last.id)?.plan;
  if (!last || !plan) return null;
  return readClientMatrix({ plan, status: last.status, runs: await runs.allOf(last.id) });
}
