import type { PowerSample, Window } from './integrate-energy.ts';

/** Meters are not punctual: so many times the usual distance of two samples is a gap. */
const usualDistances = 3;

export interface MeterGaps {
  /** Without a sample, all together. */
  ms: number;
  /** Most that the energy can be wrong by, if the power stayed within what the meter saw beside the gaps. */
  errorJ: number;
}

/** Median distance of two samples, µs; 0 where there are fewer than two. */
export function usualDistanceUs(samples: readonly PowerSample[]): number {
  const distances = samples.slice(1).map(({ atUs }, index) => atUs - (samples[index]?.atUs ?? atUs));
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
}

/** Where a meter said nothing within a window, over which its power was taken to go in a straight line; null: nowhere. */
export function findGaps(samples: readonly PowerSample[], { fromUs, toUs }: Window): MeterGaps | null {
  const minUs = usualDistances * usualDistanceUs(samples);
  const seen = samples.flatMap(({ powerW }) => powerW ?? []);
  const [lowestW, highestW] = seen.reduce<[number, number]>(
    ([low, high], powerW) => [Math.min(low, powerW), Math.max(high, powerW)],
    [Number.POSITIVE_INFINITY, 0],
  );
  const gaps = { ms: 0, errorJ: 0 };
  for (const [index, after] of samples.entries()) {
    const before = samples[index - 1];
    if (before === undefined || after.atUs - before.atUs <= minUs) continue;
    const seconds = (Math.min(after.atUs, toUs) - Math.max(before.atUs, fromUs)) / 1e6;
    if (seconds <= 0) continue;
    const assumed = [before.powerW ?? 0, after.powerW ?? 0];
    gaps.ms += seconds * 1_000;
    gaps.errorJ += seconds * Math.max(highestW - Math.min(...assumed), Math.max(...assumed) - lowestW);
  }
  return gaps.ms > 0 ? gaps : null;
}
