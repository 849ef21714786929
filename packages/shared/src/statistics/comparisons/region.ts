export interface Interval {
  lo: number;
  hi: number;
}

/** Values that a claim allows; an open side is infinite. */
export interface Region {
  from: number;
  to: number;
}

/** Smaller p-values are reported as 0, because no quantile is that precise. */
const smallest = 1e-12;

export function isInside({ lo, hi }: Interval, { from, to }: Region): boolean {
  return lo > from && hi < to;
}

export function isOutside({ lo, hi }: Interval, { from, to }: Region): boolean {
  return hi < from || lo > to;
}

/**
 * Returns the p-values of "not inside the region" and "not outside it": the smallest significance level at
 * which the confidence interval is entirely inside (outside) the region. For a region with one bound, these
 * are the p-values of the two-sided test of that bound. For a region with two bounds, `inside` is twice the
 * p-value of the two one-sided tests (Schuirmann 1987). `intervalAt` returns the interval with a coverage
 * between 0 and 1; higher coverage gives a wider interval.
 */
export function regionPValues(
  intervalAt: (coverage: number) => Interval,
  region: Region,
): { inside: number; outside: number } {
  return {
    inside: smallestLevel((level) => isInside(intervalAt(1 - level), region)),
    outside: smallestLevel((level) => isOutside(intervalAt(1 - level), region)),
  };
}

/**
 * Finds the level by bisection on its logarithm; returns 1 if the condition does not hold even for the
 * narrowest interval.
 */
function smallestLevel(holds: (level: number) => boolean): number {
  const largest = 1 - 1e-6;
  if (!holds(largest)) return 1;
  if (holds(smallest)) return 0;
  let [low, high] = [Math.log(smallest), Math.log(largest)];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (holds(Math.exp(middle))) high = middle;
    else low = middle;
  }
  return Math.exp(high);
}
