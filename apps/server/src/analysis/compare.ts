import type { Comparison, LatencyBox } from '@mqttlab/shared/domain/comparison';
import type { CompareQuery } from '@mqttlab/shared/protocol/http';
import { poolLatency } from './pool-latency.ts';
import { type SelectedTreatment, selectRuns } from './select-runs.ts';
import type { AnalysisStores } from './stores.ts';

/**
 * Everything the compare page needs, from stored summaries; of the raw data only the latency histograms
 * are read, for the boxes. Throws a 404 problem for a number that is not there.
 */
export function makeComparison(stores: AnalysisStores, query: CompareQuery): Comparison {
  const { experiments, treatments, failedRuns } = selectRuns(stores, query);
  return {
    experiments: experiments.map(({ id, name, status, finishedAt }) => ({ id, name, status, finishedAt })),
    treatments: treatments.map((selected) => ({
      id: selected.id,
      experimentId: selected.experiment.id,
      treatment: selected.treatment,
      runs: selected.runs.map(({ id, block, flagged, metrics }) => ({ runId: id, block, flagged, metrics })),
      ...boxesOf(stores, selected),
    })),
    flaggedRuns: treatments.flatMap(({ runs }) => runs).filter(({ flagged }) => flagged).length,
    failedRuns,
  };
}

type Boxes = { latency: LatencyBox | null; latencyWithFlagged: LatencyBox | null };

function boxesOf(stores: AnalysisStores, { runs }: SelectedTreatment): Boxes {
  const boxOf = (of: typeof runs) => poolLatency(stores.runs.latencyHistograms(of.map(({ id }) => id)));
  const valid = runs.filter(({ flagged }) => !flagged);
  const latency = boxOf(valid);
  return { latency, latencyWithFlagged: valid.length === runs.length ? latency : boxOf(runs) };
}
