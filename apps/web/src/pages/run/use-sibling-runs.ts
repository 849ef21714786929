import type { RunDetail, RunSummary } from '@mqttlab/shared/domain/runs/run';
import { useExperiment } from '../../api/queries.ts';
import { useEarlierRuns } from '../../live/use-earlier-runs.ts';

const none: readonly RunSummary[] = [];

/** Other valid Runs of the same Treatment, for the outline behind a distribution; none on shared pages. */
export function useSiblingRuns(run: RunDetail, isShared: boolean): readonly RunDetail[] {
  const runs = useExperiment(isShared ? null : run.experimentId).data?.runs ?? none;
  return useEarlierRuns(runs, isShared ? null : run);
}
