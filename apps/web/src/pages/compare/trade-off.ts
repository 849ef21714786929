import type { ScatterPoint } from '@mqttlab/charts/kinds/scatter';
import { estimateTreatments } from '@mqttlab/shared/analysis/contrasts';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import { rankPareto } from '@mqttlab/shared/statistics/estimates/pareto';
import type { CompareState } from './compare-state.ts';
import type { ComparisonViewModel } from './comparison-view-model.ts';
import { whyNotDrawn } from './not-drawn.ts';

export type TradeOffChoice = Pick<CompareState, 'x' | 'y' | 'front'>;

/** Default cost metrics, of which the first measured one is used. */
const rivals = [
  'cpuPerMessage.publisher',
  'energyPerMessage.total',
  'cpu.publisher',
  'cpu.broker',
  'latency.p50',
];

/**
 * Returns two metrics of every treatment that has both, the Pareto front, and the reason for each treatment
 * without a point. Returns null if only one metric can be drawn.
 */
export function tradeOff(model: ComparisonViewModel, choice: TradeOffChoice) {
  const estimates = (metric: MetricDefinition) =>
    new Map(
      estimateTreatments(model.shown, { metric, flagged: model.flagged }).flatMap(
        ({ treatment, estimate }) => {
          const { value, lo, hi } = estimate;
          return value === null ? [] : [[treatment.id, { value, lo, hi }] as const];
        },
      ),
    );
  const measured = metrics.filter((metric) =>
    model.shown.some(({ runs }) => runs.some((run) => typeof run.metrics[metric.id] === 'number')),
  );
  const known = (id: string) => measured.find((metric) => metric.id === id);
  const y = known(choice.y) ?? model.metric;
  const x =
    known(choice.x) ??
    rivals.flatMap((id) => known(id) ?? []).find(({ id, group }) => id !== y.id && group !== y.group);
  if (!x) return null;
  const [xs, ys] = [estimates(x), estimates(y)];
  const both = model.shown.flatMap((entry) => {
    const [a, b] = [xs.get(entry.id), ys.get(entry.id)];
    return a && b ? [{ entry, x: a, y: b }] : [];
  });
  const may = both.filter(({ entry }) => choice.front === 'all' || !model.isBaselineColour(entry));
  const sign = (metric: MetricDefinition) => (metric.better === 'higher' ? -1 : 1);
  const { front } = rankPareto(may.map((one) => [sign(x) * one.x.value, sign(y) * one.y.value]));
  const onFront = new Set(front.map((index) => may[index]?.entry.id));
  const points = both.map(
    ({ entry, ...values }): ScatterPoint => ({
      treatment: model.identity(entry),
      ...values,
      isFront: onFront.has(entry.id),
    }),
  );
  const reasons = model.shown.map(
    (entry) =>
      whyNotDrawn(entry, { metric: x, flagged: model.flagged }) ??
      whyNotDrawn(entry, { metric: y, flagged: model.flagged }),
  );
  return { x, y, measured, points, reasons };
}
