import { minRuns } from '@mqttlab/shared/analysis/estimate';
import type { Resolution } from '@mqttlab/shared/messages/http';
import { smallestResolvableDifference } from '@mqttlab/shared/statistics/estimates/power';

export interface CurvePoint {
  repetitions: number;
  /** In the unit of the metric. */
  difference: number;
}

export interface ResolutionView {
  /** What the chosen repetitions can tell apart; null below three, from which on there are intervals. */
  now: CurvePoint | null;
  curve: CurvePoint[];
}

const maxPoints = 24;

/** Smallest difference of two means told apart with 80 % power, against repetitions around the chosen number. */
export function makeResolutionView(
  resolution: Pick<Resolution, 'scale' | 'sd' | 'mean' | 'contrasts'>,
  repetitions: number,
): ResolutionView {
  const at = (count: number): CurvePoint | null => {
    if (count < minRuns) return null;
    const onScale = smallestResolvableDifference({
      repetitions: count,
      sd: resolution.sd,
      contrasts: Math.max(1, resolution.contrasts),
    });
    if (onScale === null) return null;
    // A ratio, told as the difference that it makes at the usual value.
    const difference = resolution.scale === 'ratio' ? resolution.mean * Math.expm1(onScale) : onScale;
    return { repetitions: count, difference };
  };
  return {
    now: at(repetitions),
    curve: spread(minRuns, Math.max(10, Math.ceil(repetitions * 1.6))).flatMap((count) => at(count) ?? []),
  };
}

/** At most `maxPoints` whole numbers from `from` to `to`, both included. */
export function spread(from: number, to: number): number[] {
  const steps = Math.min(maxPoints, to - from + 1);
  const all = Array.from({ length: steps }, (_, i) =>
    Math.round(from + ((to - from) * i) / Math.max(1, steps - 1)),
  );
  return [...new Set(all)];
}
