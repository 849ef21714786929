import { averageOnGrid } from '@mqttlab/shared/analysis/average-series';
import { eachInFull } from '@mqttlab/shared/analysis/devices-of-a-role';
import type { ComparedSeries } from '@mqttlab/shared/domain/comparison';
import type { CompareQuery } from '@mqttlab/shared/protocol/http';
import { selectRuns } from './select-runs.ts';
import type { AnalysisStores } from './stores.ts';

export interface SeriesQuestion {
  metric: string;
  role: string;
  /** Flagged runs too. */
  flagged: boolean;
}

/** One series for each Treatment that has the metric. Throws a 404 problem for a number that is not there. */
export function compareSeries(
  stores: AnalysisStores,
  query: CompareQuery,
  question: SeriesQuestion,
): ComparedSeries[] {
  return selectRuns(stores, query).treatments.flatMap(({ id, experiment, runs }) => {
    const counted = runs.filter(({ flagged }) => question.flagged || !flagged).map((run) => run.id);
    const found = stores.runs.series(counted, question);
    const [first] = found;
    if (!first) return [];
    const byRun = [...Map.groupBy(found, ({ runId }) => runId).values()].map((devices) =>
      eachInFull(devices.map(({ series }) => series)),
    );
    const { metric, role } = question;
    const sampleMs = 1000 / (experiment.plan?.sampleHz ?? 1);
    return [
      {
        treatmentId: id,
        metric,
        role,
        unit: first.series.unit,
        runs: byRun.length,
        ...averageOnGrid(byRun, sampleMs),
      },
    ];
  });
}
