import type { RunDetail, RunRow } from '@mqttlab/shared/domain/runs/run';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { keyOf, read } from '../api/client.ts';

/** More lines would merge into a grey band. */
const maxLines = 4;
const none: readonly RunDetail[] = [];

/**
 * Returns the finished valid runs of the same treatment, newest first: the grey lines behind the current run.
 */
export function pickEarlierRuns(
  runs: readonly RunRow[],
  current: Pick<RunRow, 'id' | 'trialNumber' | 'treatmentKey'>,
): RunRow[] {
  return runs
    .filter(
      (run) =>
        run.treatmentKey === current.treatmentKey &&
        run.status === 'done' &&
        !run.flagged &&
        run.id !== current.id &&
        run.trialNumber !== current.trialNumber,
    )
    .slice(-maxLines)
    .reverse();
}

/** Loads the details of the earlier runs. Finished runs do not change, so each is requested only once. */
export function useEarlierRuns(
  runs: readonly RunRow[],
  current: Pick<RunRow, 'id' | 'trialNumber' | 'treatmentKey'> | null,
): readonly RunDetail[] {
  const picked = useMemo(() => (current ? pickEarlierRuns(runs, current) : []), [runs, current]);
  return useQueries({
    queries: picked.map(({ id }) => ({
      queryKey: keyOf('GET /runs/{id}', { params: { id } }),
      queryFn: () => read('GET /runs/{id}', { params: { id } }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: combineDetails,
  });
}

function combineDetails(results: readonly { data: RunDetail | undefined }[]): readonly RunDetail[] {
  const loaded = results.flatMap(({ data }) => data ?? []);
  return loaded.length === 0 ? none : loaded;
}
