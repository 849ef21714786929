import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { Study, StudyOrigin } from '@mqttlab/shared/planning/study';
import type { StudyInput } from '@mqttlab/studies/page/input';
import { needsReport } from '@mqttlab/studies/page/make-study-document';
import { studyFactsOf } from '@mqttlab/studies/page/reasons';
import { useMemo } from 'react';
import { useApi } from '../../../api/use-api.ts';

interface StudyPart {
  experiment: ExperimentDetail | undefined;
  /** null while loading; otherwise the same object until the data changes. */
  input: Omit<StudyInput, 'palette'> | null;
  /** True if only the report is missing, which takes seconds to compute. */
  isReportPending: boolean;
  flaggedRuns: number;
  error: Error | null;
  retry(): void;
}

interface StudyPartQuestion {
  study: Study;
  origin: StudyOrigin;
  experimentId: number | null;
  flagged: boolean;
}

/** Loads the data for the document of one part. */
export function useStudyPart({ study, origin, experimentId, flagged }: StudyPartQuestion): StudyPart {
  const place = experimentId === null ? null : { params: { id: experimentId } };
  const experiment = useApi('GET /experiments/{id}', place);
  const comparison = useApi('GET /compare', place && { query: { experiments: String(experimentId) } });
  const done = experiment.data?.runs.filter(({ status }) => status === 'done') ?? [];
  const firstRun = done[0]?.id ?? null;
  const run = useApi('GET /runs/{id}', firstRun === null ? null : { params: { id: firstRun } });
  const asks = needsReport(origin) && firstRun !== null;
  // The report is requested again after each run. The server recomputes it only if data changed.
  const report = useApi(
    'GET /experiments/{id}/report',
    asks && place ? { ...place, query: { flagged } } : null,
    { isAborted: true, staleTime: 0 },
  );
  const isLoaded = experiment.data && (firstRun === null || run.data || run.error);
  const isReportPending = asks && report.isPending && Boolean(isLoaded && comparison.data);
  const treatments = isLoaded && !isReportPending ? comparison.data?.treatments : undefined;
  const made = asks ? (report.data ?? null) : null;
  const { studyId, partId, scale } = origin;
  const input = useMemo(
    () =>
      treatments
        ? {
            study,
            origin: { studyId, partId, scale },
            flagged,
            treatments,
            facts: studyFactsOf(run.data),
            report: made,
          }
        : null,
    [study, studyId, partId, scale, flagged, treatments, run.data, made],
  );
  return {
    experiment: experiment.data,
    input,
    isReportPending,
    flaggedRuns: comparison.data?.flaggedRuns ?? 0,
    error: experiment.error ?? comparison.error ?? report.error,
    retry: () => void experiment.refetch(),
  };
}
