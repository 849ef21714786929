import { averageOnGrid, usualStepMs } from '@mqttlab/shared/analysis/average-series';
import { eachInFull } from '@mqttlab/shared/analysis/parameters';
import { usualMetric, usualSeries } from '@mqttlab/shared/analysis/run-values';
import type { ComparedSeries } from '@mqttlab/shared/domain/runs/comparison';
import type { CompareQuery } from '@mqttlab/shared/messages/http';
import { type Selection, selectRuns } from './select-runs.ts';
import type { AnalysisStores } from './stores.ts';

export interface SeriesQuestion {
  /** With `role`; without both the series that is usually looked at. */
  metric?: string | undefined;
  role?: string | undefined;
  /** Flagged runs too. */
  flagged: boolean;
}

/** One series for each Treatment that has the metric. Throws a 404 problem for a number that is not there. */
export function compareSeries(
  stores: AnalysisStores,
  query: CompareQuery,
  question: SeriesQuestion,
): ComparedSeries[] {
  const selection = selectRuns(stores, query, usualMetric);
  const { metric, role } = chooseSeries(selection, question);
  return selection.treatments.flatMap(({ id, experiment, runs }) => {
    const counted = runs.filter(({ flagged }) => question.flagged || !flagged).map((run) => run.id);
    const found = stores.runs.series(counted, { metric, role });
    const [first] = found;
    if (!first) return [];
    const byRun = [...Map.groupBy(found, ({ runId }) => runId).values()].map((devices) =>
      eachInFull(devices.map(({ series }) => series)),
    );
    const sampleMs = 1000 / (experiment.plan?.sampleHz ?? 1);
    return [
      {
        treatmentId: id,
        metric,
        role,
        unit: first.series.unit,
        runs: byRun.length,
        ...averageOnGrid(byRun, usualStepMs(byRun, sampleMs)),
      },
    ];
  });
}

/** The series that is asked for, or the usual one of these Runs. */
export function chooseSeries(
  selection: Selection,
  { metric, role }: SeriesQuestion,
): { metric: string; role: string } {
  return metric === undefined || role === undefined ? usualSeries(selection) : { metric, role };
}
