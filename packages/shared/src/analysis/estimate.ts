import type { MetricDefinition } from '../domain/runs/verdict.ts';
import { geometricInterval } from '../statistics/comparisons/ratio.ts';
import { meanInterval } from '../statistics/estimates/interval.ts';

/** Minimum number of runs for an interval or a p-value. */
export const minRuns = 3;
/** Coverage of intervals, unless a stopping rule chose the number of repetitions. */
export const usualLevel = 0.95;

/** Estimate of one metric from the runs of one treatment. The run is the unit of inference. */
export interface Estimate {
  /** Number of runs. */
  n: number;
  /** Geometric mean of positive quantities, arithmetic mean of all others; null without a run. */
  value: number | null;
  /**
   * 95 % t interval over runs, on the log scale if `value` is a geometric mean; null if there are fewer than
   * three runs.
   */
  lo: number | null;
  hi: number | null;
  /** True if at least two runs have this value and none differs, so that it is exact and has no interval. */
  isConstant: boolean;
  /**
   * Half-width divided by the value; for a geometric mean, the factor to either end minus one. null without
   * an interval.
   */
  relHalfWidth: number | null;
}

export type EstimatedMetric = Pick<MetricDefinition, 'quantity' | 'unit'>;

/** Returns the range of possible values for the metric. */
export function rangeOf({ quantity, unit }: EstimatedMetric): { least: number; most: number } {
  if (quantity === 'signed') return { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
  if (quantity !== 'proportion') return { least: 0, most: Number.POSITIVE_INFINITY };
  return { least: 0, most: unit === '%' ? 100 : 1 };
}

/** True if the values are averaged on the log scale: positive quantities, unless a run measured zero. */
export function isOnLogScale({ quantity }: EstimatedMetric, values: readonly number[]): boolean {
  return quantity === 'positive' && values.length > 0 && values.every((value) => value > 0);
}

export function estimateValues(
  values: readonly number[],
  metric: EstimatedMetric,
  level = usualLevel,
): Estimate {
  const n = values.length;
  const none = { n, lo: null, hi: null, isConstant: false, relHalfWidth: null };
  const [first = null] = values;
  if (n > 1 && values.every((value) => value === first)) return { ...none, value: first, isConstant: true };
  if (isOnLogScale(metric, values)) {
    const found = geometricInterval(values, level);
    if (!found || found.lo === null || found.hi === null || n < minRuns) {
      return { ...none, value: found?.mean ?? null };
    }
    const { mean, lo, hi } = found;
    return { ...none, value: mean, lo, hi, relHalfWidth: Math.sqrt(hi / lo) - 1 };
  }
  const { mean, lo, hi, relHalfWidth } = meanInterval(values, level);
  if (lo === null || hi === null || n < minRuns) return { ...none, value: mean };
  const { least, most } = rangeOf(metric);
  // Values outside the range are impossible, so clipping does not reduce coverage.
  return { ...none, value: mean, lo: Math.max(least, lo), hi: Math.min(most, hi), relHalfWidth };
}
