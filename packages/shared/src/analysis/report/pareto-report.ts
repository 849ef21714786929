import { findMetric } from '../../catalogue/metrics.ts';
import type { ReportPareto } from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { rankPareto } from '../../statistics/estimates/pareto.ts';
import { estimateValues } from '../estimate.ts';
import { joinWords, nounOf } from '../phrase.ts';
import { differingBases } from '../run-values.ts';
import { type ReportContext, valuesIn } from './report-input.ts';

/** What one would trade against the response, the first that was measured. */
const rivals = [
  'energyPerMessage.total',
  'cpuPerMessage.broker',
  'cpu.broker',
  'latency.p50',
  'latency.mean',
];

/** The response against what it costs: which Treatments no other beats in both. */
export function rankTreatments(
  context: ReportContext,
  response: MetricDefinition,
): { pareto: ReportPareto | null; missing: string | null } {
  const { all: treatments } = context;
  const valuesOf = (one: ComparedTreatment, metric: MetricDefinition) => valuesIn(context, one, metric);
  const meanOf = (one: ComparedTreatment, metric: MetricDefinition) =>
    estimateValues(
      valuesOf(one, metric).map(({ value }) => value),
      metric,
    ).value;
  const hasTwo = (metric: MetricDefinition) =>
    treatments.filter((one) => meanOf(one, metric) !== null).length >= 2;
  /** Figures of different kinds, such as measured and modelled energy, are no axis. */
  const isOneKind = (metric: MetricDefinition) =>
    differingBases(treatments.flatMap((one) => valuesOf(one, metric))).length === 0;
  const none = (missing: string | null) => ({ pareto: null, missing });
  if (treatments.length < 2) return none(null);
  if (!hasTwo(response)) {
    return none('Fewer than two treatments have a run that counts, so there is no trade-off to show.');
  }
  if (!isOneKind(response)) {
    return none(
      `Values of ${nounOf(response)} were measured in different ways, so they are not compared with a second response.`,
    );
  }
  const rival = rivals
    .flatMap((id) => findMetric(id) ?? [])
    .find((metric) => metric.group !== response.group && isOneKind(metric) && hasTwo(metric));
  if (!rival || response.better === null) {
    return none('No second response was measured to compare with the first.');
  }
  const points = treatments.flatMap((one) => {
    const [x, y] = [meanOf(one, response), meanOf(one, rival)];
    return x === null || y === null ? [] : [{ treatment: one.id, x, y }];
  });
  if (points.length < 2) return none('Fewer than two treatments have both responses.');
  const sign = (metric: MetricDefinition) => (metric.better === 'higher' ? -1 : 1);
  const { rank } = rankPareto(points.map(({ x, y }) => [sign(response) * x, sign(rival) * y]));
  const ranked = points.map((point, index) => ({ ...point, rank: rank[index] ?? 0 }));
  const names = ranked
    .filter((point) => point.rank === 1)
    .map(({ treatment }) => treatments.find(({ id }) => id === treatment)?.treatment.shortLabel ?? treatment);
  return {
    missing: null,
    pareto: {
      x: axisOf(response),
      y: axisOf(rival),
      points: ranked,
      runs: treatments.flatMap((one) => {
        const others = new Map(valuesOf(one, rival).map(({ runId, value }) => [runId, value]));
        return valuesOf(one, response).flatMap(({ runId, value }) => {
          const y = others.get(runId);
          return y === undefined ? [] : [{ treatment: one.id, runId, x: value, y }];
        });
      }),
      sentence: `On the means, no other treatment beats ${joinWords(names)} in both ${nounOf(response)} and ${nounOf(rival)}; differences that were not resolved can move a treatment on or off this front.`,
    },
  };
}

function axisOf({ id, label, unit }: MetricDefinition): ReportPareto['x'] {
  return { metric: id, label, unit };
}
