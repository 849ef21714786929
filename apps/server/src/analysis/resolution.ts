import { isOnLogScale } from '@mqttlab/shared/analysis/estimate';
import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import type { Resolution } from '@mqttlab/shared/messages/http';
import { mean, sum, variance } from '@mqttlab/shared/statistics/descriptive/summary';
import type { MetricValue } from '../store/runs/metric-values.ts';
import type { SqlRunStore } from '../store/runs/run-store.ts';

/** Fewer degrees of freedom say too little about a spread. */
const minDegrees = 2;

/**
 * The spread from run to run that earlier experiments showed for the plan's response: those that varied the same
 * factors on this testbed, or else any on this testbed. null where there are too few.
 */
export function findResolution(runs: SqlRunStore, plan: Plan): Resolution | null {
  const metric = findMetric(plan.response);
  if (!metric) return null;
  const { testbedId } = plan;
  const varied = plan.varied.map((id) => findFactor(id)?.label ?? id);
  const spreadOf = (labels: readonly string[] | null) =>
    pooledSpread(runs.valuesOfSimilar({ testbedId, metric: metric.id, varied: labels }), metric);
  const spread = spreadOf(varied) ?? spreadOf(null);
  if (!spread) return null;
  const contrasts = Math.max(1, plan.treatments.length - 1);
  return { metric: metric.id, unit: metric.unit, ...spread, contrasts };
}

type Spread = Pick<Resolution, 'scale' | 'sd' | 'mean' | 'fromRuns' | 'fromExperiments'>;

/**
 * Standard deviation inside groups of equal Treatment and experiment, weighted by degrees of freedom; of the logarithms
 * where the metric is compared by ratios.
 */
function pooledSpread(values: readonly MetricValue[], metric: MetricDefinition): Spread | null {
  const groups = Map.groupBy(values, (run) => `${run.experimentId} ${run.treatmentKey}`);
  const repeated = [...groups.values()].filter((group) => group.length >= 2);
  const isLog = isOnLogScale(
    metric,
    repeated.flat().map(({ value }) => value),
  );
  const onScale = ({ value }: MetricValue) => (isLog ? Math.log(value) : value);
  const degrees = sum(repeated.map((group) => group.length - 1));
  if (degrees < minDegrees) return null;
  const squares = sum(repeated.map((group) => (variance(group.map(onScale)) ?? 0) * (group.length - 1)));
  const used = repeated.flat();
  const centre = mean(used.map(onScale)) ?? 0;
  return {
    scale: isLog ? 'ratio' : 'difference',
    sd: Math.sqrt(squares / degrees),
    mean: isLog ? Math.exp(centre) : centre,
    fromRuns: used.length,
    fromExperiments: [...new Set(used.map(({ experimentId }) => experimentId))].sort((a, b) => a - b),
  };
}
