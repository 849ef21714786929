import type { PartEvidence } from '@mqttlab/shared/analysis/claims/claim';
import { judgeClaims } from '@mqttlab/shared/analysis/claims/judge';
import { treatmentsOfRuns } from '@mqttlab/shared/analysis/counting-runs';
import type { ReportInput } from '@mqttlab/shared/analysis/report/report-input';
import type { ClientMatrixCell } from '@mqttlab/shared/catalogue/client-matrix';
import type { ClaimResult } from '@mqttlab/shared/domain/report/claims';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { type StudyOrigin, studyOriginOf } from '@mqttlab/shared/planning/study';
import { findStudy, studies } from '../studies.ts';

/** Judges the claims that the runs of one part answer. */
export function judgePart(
  { studyId, partId }: Pick<StudyOrigin, 'studyId' | 'partId'>,
  evidence: PartEvidence,
): ClaimResult[] {
  const claims = findStudy(studyId)?.claims ?? [];
  return judgeClaims(
    claims.filter(({ part, isOfClients }) => part === partId && !isOfClients),
    evidence,
  );
}

/** Judges the claims of all studies that a client matrix answers. */
export function judgeClients(clients: readonly ClientMatrixCell[]): ClaimResult[] {
  const claims = studies.flatMap((study) => study.claims.filter(({ isOfClients }) => isOfClients));
  return judgeClaims(claims, { treatments: [], flagged: false, report: null, clients });
}

/** Judges the claims that the runs of one experiment answer, if it is a part of a study. */
export function judgeReport(
  { experiment, plan, runs, takesFlagged }: ReportInput,
  report: Report,
): ClaimResult[] {
  const origin = studyOriginOf(experiment.tags);
  const treatments = treatmentsOfRuns(experiment.id, plan, runs);
  return origin ? judgePart(origin, { treatments, flagged: takesFlagged, report }) : [];
}
