import { runningIntegral } from '../statistics/energy/running-integral.ts';

/** Number of median intervals after which a missing sample is a gap, because meters sample irregularly. */
const usualDistances = 3;

export interface MeterGaps {
  /** Total time without samples. */
  ms: number;
  /** Maximum energy error, assuming that the power stayed within the range of the samples around the gaps. */
  errorJ: number;
}

/** Returns the median interval between samples, in µs; 0 with fewer than two samples. */
export function usualDistanceUs(samples: readonly PowerSample[]): number {
  const distances = samples.slice(1).map(({ atUs }, index) => atUs - (samples[index]?.atUs ?? atUs));
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
}

/** Returns a meter's gaps within a window, over which power is interpolated linearly; null without gaps. */
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

/** One reading of an energy source. */
export interface PowerSample {
  /** Time on the same clock as the windows, in µs. */
  atUs: number;
  /** null if unknown. */
  powerW: number | null;
  /** Energy since the source was started, if the source counts energy itself; otherwise null. */
  energyJ: number | null;
}

/** A time window on the same clock, in µs. */
export interface Window {
  fromUs: number;
  toUs: number;
}

export interface WindowEnergy {
  energyJ: number;
  meanPowerW: number;
  /** Number of samples inside the window. */
  samples: number;
}

/** Returned instead of energy if the samples are insufficient. */
export type Integrated = { energy: WindowEnergy } | { reason: string };

/**
 * Integrates the energy in a window. If every sample has an energy counter (RAPL), the energy is the linearly
 * interpolated difference of the counter. Otherwise it is calculated with the trapezoidal rule over power,
 * clipped to the window. Samples without a value are gaps. Returns a reason instead if a gap in the window is
 * longer than `longestGapUs`.
 */
export function integrateEnergy(
  samples: readonly PowerSample[],
  window: Window,
  longestGapUs: number,
): Integrated {
  const { fromUs, toUs } = window;
  if (!(toUs > fromUs)) return { reason: 'the window has no length' };
  const counted = samples.filter(({ energyJ }) => energyJ !== null);
  const usesCounter =
    counted.length > 0 && samples.every(({ energyJ, powerW }) => energyJ !== null || powerW === null);
  const points = usesCounter
    ? counted.map(({ atUs, energyJ }) => ({ atUs, value: energyJ ?? 0 }))
    : samples.flatMap(({ atUs, powerW }) => (powerW === null ? [] : [{ atUs, value: powerW }]));
  const reason = findGap(points, window, longestGapUs);
  if (reason !== null) return { reason };
  const inside = points.filter(({ atUs }) => atUs > fromUs && atUs < toUs);
  const first = { atUs: fromUs, value: valueAt(points, fromUs) };
  const last = { atUs: toUs, value: valueAt(points, toUs) };
  const energyJ = usesCounter ? last.value - first.value : trapezoid([first, ...inside, last]);
  return { energy: { energyJ, meanPowerW: energyJ / ((toUs - fromUs) / 1e6), samples: inside.length } };
}

interface Point {
  atUs: number;
  value: number;
}

/** Returns why the points do not cover the window; null if they do. */
function findGap(points: readonly Point[], { fromUs, toUs }: Window, longestGapUs: number): string | null {
  const first = points.findLastIndex(({ atUs }) => atUs <= fromUs);
  const last = points.findIndex(({ atUs }) => atUs >= toUs);
  if (first < 0) return 'no sample before the window';
  if (last < 0) return 'no sample after the window';
  for (const [a, b] of pairwise(points.slice(first, last + 1))) {
    const gapUs = b.atUs - a.atUs;
    if (gapUs > longestGapUs) return `no sample for ${(gapUs / 1e6).toFixed(1)} s`;
  }
  return null;
}

/** Interpolates the value at a time; NaN outside the points. */
function valueAt(points: readonly Point[], atUs: number): number {
  const after = points.find((point) => point.atUs >= atUs);
  const before = points.findLast((point) => point.atUs <= atUs);
  if (!after || !before) return Number.NaN;
  if (after.atUs === before.atUs) return after.value;
  const share = (atUs - before.atUs) / (after.atUs - before.atUs);
  return before.value + share * (after.value - before.value);
}

function trapezoid(path: readonly Point[]): number {
  const integral = runningIntegral(
    path.map(({ atUs }) => atUs),
    path.map(({ value }) => value),
  );
  return (integral.at(-1) ?? 0) / 1e6;
}

/** Returns each item with its predecessor. */
function* pairwise<T>(items: readonly T[]): Generator<[T, T]> {
  let before: T | undefined;
  for (const item of items) {
    if (before !== undefined) yield [before, item];
    before = item;
  }
}
