import { estimateValues } from '@mqttlab/shared/analysis/estimate';
import { usualMetric } from '@mqttlab/shared/analysis/run-values';
import type { WindowMean } from '@mqttlab/shared/domain/runs/comparison';
import type { CompareQuery } from '@mqttlab/shared/messages/http';
import type { MetricSeries } from '../store/runs/run-series.ts';
import { selectRuns } from './select-runs.ts';
import { chooseSeries, type SeriesQuestion } from './series.ts';
import type { AnalysisStores } from './stores.ts';

/** From and to since the start of measuring, both included. */
export interface TimeWindow {
  fromMs: number;
  toMs: number;
}

/**
 * Each Treatment's mean inside a stretch of time: one value for each Run, then their mean with a 95 % t interval.
 * Throws a 404 problem for a number that is not there.
 */
export function averageWindow(
  stores: AnalysisStores,
  query: CompareQuery,
  { window, ...question }: SeriesQuestion & { window: TimeWindow },
): WindowMean[] {
  const selection = selectRuns(stores, query, usualMetric);
  const which = chooseSeries(selection, question);
  return selection.treatments.flatMap(({ id, runs }) => {
    const counted = runs.filter(({ flagged }) => question.flagged || !flagged).map((run) => run.id);
    const byRun = Map.groupBy(stores.runs.series(counted, which), ({ runId }) => runId);
    const values = [...byRun.values()].flatMap((devices) => meanInside(devices, window) ?? []);
    // Rates, shares and times: no series of a device or a load is below zero.
    const { value: mean, lo, hi } = estimateValues(values, { quantity: 'count', unit: '' });
    return mean === null ? [] : [{ treatmentId: id, runs: values.length, mean, lo, hi }];
  });
}

/** Over all devices of one Run; null without a sample inside. */
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
