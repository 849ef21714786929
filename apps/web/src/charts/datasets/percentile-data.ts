import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';

/** A quantile of one treatment: percentile 99 is the value that 99 % of messages stay below. */
export type PercentilePoint = { percentile: number; value: number };

export type PercentileSeries = { treatment: TreatmentIdentity; points: readonly PercentilePoint[] };

/** Each nine takes the same room: P90, P99 and P99.9 lie one apart, P0 at zero. */
export function percentilePosition(percentile: number): number {
  const below = Math.min(99.999999, Math.max(0, percentile)) / 100;
  return -Math.log10(1 - below);
}

/** Ticks up to the highest percentile that any series has. */
export function percentileTicks(series: readonly PercentileSeries[]): number[] {
  const highest = Math.max(50, ...series.flatMap((one) => one.points.map((point) => point.percentile)));
  return [0, 50, 75, 90, 95, 99, 99.9, 99.99].filter((tick) => tick <= highest);
}
