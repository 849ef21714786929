import { averageOnGrid, usualStepMs } from '@mqttlab/shared/analysis/average-series';
import { levelOf } from '@mqttlab/shared/analysis/counting-runs';
import { estimateValues } from '@mqttlab/shared/analysis/estimate';
import { eachInFull } from '@mqttlab/shared/analysis/parameters';
import { usualMetric, usualSeries } from '@mqttlab/shared/analysis/run-values';
import { isFlaggedForId, metricOfSeries } from '@mqttlab/shared/catalogue/flags';
import type { ComparedSeries, WindowMean } from '@mqttlab/shared/domain/runs/comparison';
import type { CompareQuery } from '@mqttlab/shared/messages/http';
import type { MetricSeries } from '../store/runs/run-series.ts';
import { type AnalysisStores, type SelectedTreatment, type Selection, selectRuns } from './compare.ts';

interface SeriesQuestion {
  /** Metric of the series, used with `role`; without both, the default series. */
  metric?: string | undefined;
  role?: string | undefined;
  /** Includes flagged runs. */
  flagged: boolean;
}

/** Returns one series per treatment that has the metric. Throws a 404 problem for an unknown number. */
export function compareSeries(
  stores: AnalysisStores,
  query: CompareQuery,
  question: SeriesQuestion,
): ComparedSeries[] {
  const selection = selectRuns(stores, query, usualMetric);
  const which = chooseSeries(selection, question);
  return selection.treatments.flatMap(({ id, experiment, runs }) => {
    const found = stores.runs.readSeries(countedIds(runs, which, question.flagged), which);
    const [first] = found;
    if (!first) return [];
    const byRun = [...Map.groupBy(found, ({ runId }) => runId).values()].map((devices) =>
      eachInFull(devices.map(({ series }) => series)),
    );
    const sampleMs = 1000 / (experiment.plan?.sampleHz ?? 1);
    return [
      {
        treatmentId: id,
        ...which,
        unit: first.series.unit,
        runs: byRun.length,
        ...averageOnGrid(byRun, usualStepMs(byRun, sampleMs), levelOf(experiment.plan)),
      },
    ];
  });
}

/** Returns the requested series, or the default series of these runs. */
export function chooseSeries(
  selection: Selection,
  { metric, role }: SeriesQuestion,
): { metric: string; role: string } {
  return metric === undefined || role === undefined ? usualSeries(selection) : { metric, role };
}

/** Returns the runs whose series counts: a flag only excludes the metrics affected by its failed verdicts. */
function countedIds(
  runs: SelectedTreatment['runs'],
  which: { metric: string; role: string },
  takesFlagged: boolean,
): number[] {
  const metric = metricOfSeries(which);
  return runs.filter((run) => takesFlagged || !isFlaggedForId(run, metric)).map(({ id }) => id);
}

/** Start and end since the start of the measure phase, both inclusive. */
interface TimeWindow {
  fromMs: number;
  toMs: number;
}

/**
 * Returns each treatment's mean within a time interval: one value per run, then their mean with a 95 % t interval.
 * Throws a 404 problem for an unknown number.
 */
export function averageWindow(
  stores: AnalysisStores,
  query: CompareQuery,
  { window, ...question }: SeriesQuestion & { window: TimeWindow },
): WindowMean[] {
  const selection = selectRuns(stores, query, usualMetric);
  const which = chooseSeries(selection, question);
  return selection.treatments.flatMap(({ id, experiment, runs }) => {
    const byRun = Map.groupBy(
      stores.runs.readSeries(countedIds(runs, which, question.flagged), which),
      ({ runId }) => runId,
    );
    const values = [...byRun.values()].flatMap((devices) => meanInside(devices, window) ?? []);
    // Estimated as a count, because rates, shares and times in series are never negative.
    const {
      value: mean,
      lo,
      hi,
    } = estimateValues(values, { quantity: 'count', unit: '' }, levelOf(experiment.plan));
    return mean === null ? [] : [{ treatmentId: id, runs: values.length, mean, lo, hi }];
  });
}

/** Returns the mean over all devices in one run; null without a sample in the interval. */
function meanInside(devices: readonly MetricSeries[], { fromMs, toMs }: TimeWindow): number | null {
  let sum = 0;
  let count = 0;
  for (const { series } of devices) {
    for (const [index, time] of series.timesMs.entries()) {
      const value = series.values[index];
      if (value === null || value === undefined || time < fromMs || time > toMs) continue;
      sum += value;
      count += 1;
    }
  }
  return count === 0 ? null : sum / count;
}
