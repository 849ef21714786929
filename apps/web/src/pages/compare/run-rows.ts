import { runValues } from '@mqttlab/shared/analysis/run-values';
import { findMetric, metrics } from '@mqttlab/shared/catalogue/metrics';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import type { BrushRange } from '../../charts/canvas/brush.ts';
import type { StripRow } from '../../charts/datasets/strip-chart-data.ts';
import type { ComparisonViewModel } from './comparison-view-model.ts';

/** Runs whose value of a metric, as shown, lies in a range. */
export type RunBrush = { metric: string; range: BrushRange };

/** What stands beside the response until other metrics are put there; the first two that were measured. */
const companions = ['latency.p50', 'cpu.broker', 'cpu.publisher', 'setUp.total'];
const beside = 2;

/** Each run as a point, a row for each treatment; flagged runs where they are taken in. */
export function runRows(model: ComparisonViewModel, metricId: string): StripRow[] {
  const metric = findMetric(metricId);
  return model.shown.map((entry) => {
    const identity = model.identity(entry);
    const factor = metric ? model.factorOf(entry, metric) : null;
    const values = factor === null ? [] : runValues(entry, { metric: metricId, flagged: model.flagged });
    return {
      treatment: {
        ...identity,
        shortLabel: [identity.shortLabel, model.titleOf(entry)].filter(Boolean).join(', '),
      },
      points: values.map(({ runId, block, value, flagged }) => ({
        id: runId,
        name: `run ${runId}, repetition ${block}`,
        value: value * (factor ?? 1),
        isFlagged: flagged,
      })),
    };
  });
}

/** The response and what stands beside it. */
export function stripMetrics(model: ComparisonViewModel): MetricDefinition[] {
  const chosen = model.multiples.map(({ metric }) => metric);
  if (chosen.length > 1) return chosen;
  const isThere = (id: string) => runRows(model, id).some(({ points }) => points.length > 0);
  const others = companions.filter((id) => id !== model.metric.id && isThere(id)).slice(0, beside);
  return [...chosen, ...metrics.filter(({ id }) => others.includes(id))];
}

/** null: nothing is brushed. */
export function brushedRuns(model: ComparisonViewModel, brush: RunBrush | null): ReadonlySet<number> | null {
  if (!brush) return null;
  const [from, to] = brush.range;
  const points = runRows(model, brush.metric).flatMap((row) => row.points);
  return new Set(points.filter(({ value }) => value >= from && value <= to).map(({ id }) => id));
}

/** Ids of the treatments that have one of these runs. */
export function treatmentsOf(model: ComparisonViewModel, runs: ReadonlySet<number>): string[] {
  return model.shown.filter((entry) => entry.runs.some(({ runId }) => runs.has(runId))).map(({ id }) => id);
}

/** "from:to" with four digits: more would only make the address longer. */
export function writeRange(range: BrushRange | null): string {
  return range ? range.map((value) => Number(value.toPrecision(4))).join(':') : '';
}

/** null for anything but two numbers in order. */
export function parseRange(text: string): BrushRange | null {
  const [from, to, ...rest] = text.split(':').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (from === undefined || to === undefined || rest.length > 0) return null;
  return Number.isFinite(from) && Number.isFinite(to) && from <= to ? [from, to] : null;
}

/** "metric:from:to"; null for an unknown metric or no range. */
export function parseRunBrush(text: string): RunBrush | null {
  const [metric = '', ...rest] = text.split(':');
  const range = parseRange(rest.join(':'));
  return range && findMetric(metric) ? { metric, range } : null;
}
