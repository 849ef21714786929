/** True when there is something to compute with and nothing in it is NaN or infinite. */
export function allFinite(values: ArrayLike<number>): boolean {
  for (let i = 0; i < values.length; i += 1) if (!Number.isFinite(values[i])) return false;
  return values.length > 0;
}

/** Sum with Neumaier's compensation, so that long series lose no digits. */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + lost;
}

/** Arithmetic mean; null when empty or not finite. */
export function mean(values: ArrayLike<number>): number | null {
  return allFinite(values) ? sum(values) / values.length : null;
}

/** Sample variance (n - 1), two passes; exactly 0 for equal values, null below two values or not finite. */
export function variance(values: ArrayLike<number>): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  if (centre === null) return null;
  if (isConstant(values)) return 0;
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) squares += (values[i]! - centre) ** 2;
  return squares / (values.length - 1);
}

/** True when all values are the same; rounding of the mean would otherwise show as spread. */
export function isConstant(values: ArrayLike<number>): boolean {
  for (let i = 1; i < values.length; i += 1) if (values[i] !== values[0]) return false;
  return true;
}

/** Sample standard deviation (n - 1); null where the variance is. */
export function standardDeviation(values: ArrayLike<number>): number | null {
  const square = variance(values);
  return square === null ? null : Math.sqrt(square);
}

/** Coefficient of variation sd / |mean|; null below two values or at mean 0. */
export function coefficientOfVariation(values: ArrayLike<number>): number | null {
  const sd = standardDeviation(values);
  const centre = mean(values);
  return sd === null || centre === null || centre === 0 ? null : sd / Math.abs(centre);
}

export interface Summary {
  n: number;
  mean: number;
  sd: number | null;
  variance: number | null;
  cv: number | null;
  min: number;
  max: number;
  sum: number;
}

/** Moments and extremes of a sample; null when empty or not finite. */
export function summariseValues(values: ArrayLike<number>): Summary | null {
  const centre = mean(values);
  if (centre === null) return null;
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i += 1) {
    min = Math.min(min, values[i]!);
    max = Math.max(max, values[i]!);
  }
  const square = variance(values);
  return {
    n: values.length,
    mean: centre,
    sd: square === null ? null : Math.sqrt(square),
    variance: square,
    cv: coefficientOfVariation(values),
    min,
    max,
    sum: sum(values),
  };
}
