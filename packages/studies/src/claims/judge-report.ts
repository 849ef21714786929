import { judgeClaims } from '@mqttlab/shared/analysis/claims/judge';
import { treatmentsOfRuns } from '@mqttlab/shared/analysis/counting-runs';
import type { ReportInput } from '@mqttlab/shared/analysis/report/report-input';
import type { ClaimResult } from '@mqttlab/shared/domain/report/claims';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { studyOriginOf } from '@mqttlab/shared/planning/study';
import { findStudy } from '../studies.ts';

/** The claims that the runs of one experiment answer, if it is a part of a study. */
export function judgeReport(
  { experiment, plan, runs, takesFlagged }: ReportInput,
  report: Report,
): ClaimResult[] {
  const origin = studyOriginOf(experiment.tags);
  const study = origin && findStudy(origin.studyId);
  if (!study) return [];
  const claims = study.claims.filter(({ part, isOfClients }) => part === origin.partId && !isOfClients);
  const treatments = treatmentsOfRuns(experiment.id, plan, runs);
  return judgeClaims(claims, { treatments, flagged: takesFlagged, report });
}
