import { normalCdf } from '../distributions/normal.ts';
import { deviations } from './autocorrelation.ts';

export interface AdfTest {
  /**
   * t value of the level; a very negative value is evidence against a unit root, and therefore for
   * stationarity.
   */
  statistic: number;
  pValue: number;
  usedLag: number;
  nobs: number;
  maxLag: number;
  crit: { '1%': number; '5%': number; '10%': number };
  icBest: number;
  /** Second-best AIC minus the best AIC; null with a single candidate. */
  aicGap: number | null;
}

/**
 * Performs the augmented Dickey-Fuller test with a constant and a lag chosen by AIC (statsmodels `adfuller`
 * defaults; p-value MacKinnon 1994, critical values MacKinnon 2010). Null if constant, shorter than 4, not
 * finite, or fitted perfectly. Does not detect a transient.
 */
export function augmentedDickeyFuller(values: ArrayLike<number>): AdfTest | null {
  const n = values.length;
  // The constant in the regression absorbs the mean; subtracting it first preserves precision.
  const level = deviations(values);
  if (level === null || n < 4) return null;
  const maxLag = Math.min(Math.floor(n / 2) - 2, Math.ceil(12 * (n / 100) ** 0.25));
  const search = regress(level, { firstRow: maxLag + 1, lags: maxLag });
  const rows = search.rows;
  const aic = Array.from({ length: maxLag + 1 }, (_, p) => {
    const ssr = search.residual[p + 2]!;
    return (
      rows * (Math.log(2 * Math.PI) + Math.log(ssr / rows) + 1) +
      2 * search.kept.filter((column) => column < p + 2).length
    );
  });
  const icBest = Math.min(...aic);
  const usedLag = aic.indexOf(icBest);
  const second = Math.min(...aic.filter((_, p) => p !== usedLag));
  const fit = regress(level, { firstRow: usedLag + 1, lags: usedLag });
  const ssr = fit.residual.at(-1)!;
  const totalSquares = level.reduce((total, e) => total + e * e, 0);
  const freedom = fit.rows - fit.kept.length;
  const slope = coefficientOf(fit, 1);
  if (!(ssr >= 1e-10 * totalSquares) || freedom < 1 || slope === null) return null;
  const statistic = slope.value / Math.sqrt((ssr / freedom) * slope.inverse);
  if (!Number.isFinite(statistic)) return null;
  return {
    statistic,
    pValue: macKinnonP(statistic),
    usedLag,
    nobs: fit.rows,
    maxLag,
    crit: {
      '1%': criticalValue(fit.rows, [-3.43035, -6.5393, -16.786, -79.433]),
      '5%': criticalValue(fit.rows, [-2.86154, -2.8903, -4.234, -40.04]),
      '10%': criticalValue(fit.rows, [-2.56677, -1.5384, -2.809, 0]),
    },
    icBest,
    aicGap: Number.isFinite(second - icBest) ? second - icBest : null,
  };
}

/** Performs the regression of dx[t] on 1, x[t-1], dx[t-1] ... dx[t-lags] for t from `firstRow`. */
function regress(x: Float64Array, { firstRow, lags }: { firstRow: number; lags: number }): Reduced {
  const rows = x.length - firstRow;
  const column = (at: (t: number) => number) =>
    Float64Array.from({ length: rows }, (_, i) => at(firstRow + i));
  const step = (t: number) => x[t]! - x[t - 1]!;
  const columns = [column(() => 1), column((t) => x[t - 1]!)];
  for (let lag = 1; lag <= lags; lag += 1) columns.push(column((t) => step(t - lag)));
  return reduceLeastSquares(columns, column(step));
}

function macKinnonP(tau: number): number {
  if (tau > 2.74) return 1;
  if (tau < -18.83) return 0;
  return tau <= -1.61
    ? normalCdf(2.1659 + tau * (1.4412 + tau * 0.038269))
    : normalCdf(1.7339 + tau * (0.93202 - tau * (0.12745 + tau * 0.010368)));
}

function criticalValue(nobs: number, coefficients: readonly number[]): number {
  return coefficients.reduceRight((total, c) => total / nobs + c, 0);
}

/** A least-squares problem reduced by Householder reflections; dependent columns are omitted. */
interface Reduced {
  rows: number;
  /** The retained columns, by their index in the input; the others depend on columns before them. */
  kept: number[];
  /** Upper triangle by retained column: `r[j][i]`, i <= j. */
  r: Float64Array[];
  /** Q'y. */
  z: Float64Array;
  /** `residual[k]` is the residual sum of squares with only the first k input columns. */
  residual: Float64Array;
}

// A column counts as dependent if the part of it that earlier columns do not explain is below this share.
const DEPENDENT = 1e-11;

/**
 * Performs a Householder QR decomposition of columns (each as long as y). `residual` also contains
 * the sums of squares of the nested models.
 */
function reduceLeastSquares(columns: readonly Float64Array[], y: Float64Array): Reduced {
  const z = Float64Array.from(y);
  const kept: number[] = [];
  const r: Float64Array[] = [];
  const reflectors: Float64Array[] = [];
  const residual = [squaresFrom(z, 0)];
  columns.forEach((column, index) => {
    const work = Float64Array.from(column);
    reflectors.forEach((v, from) => {
      reflect(work, v, from);
    });
    const rank = reflectors.length;
    const norm = Math.sqrt(squaresFrom(work, rank));
    if (rank < work.length && norm > DEPENDENT * Math.sqrt(squaresFrom(column, 0))) {
      const diagonal = work[rank]! > 0 ? -norm : norm;
      const v = Float64Array.from(work);
      v[rank]! -= diagonal;
      const length = Math.sqrt(squaresFrom(v, rank) / 2);
      for (let i = rank; i < v.length; i += 1) v[i]! /= length;
      work[rank] = diagonal;
      kept.push(index);
      r.push(work.slice(0, rank + 1));
      reflectors.push(v);
      reflect(z, v, rank);
    }
    residual.push(squaresFrom(z, reflectors.length));
  });
  return { rows: y.length, kept, r, z, residual: Float64Array.from(residual) };
}

/**
 * Returns the coefficient of one input column and the matching diagonal entry of (X'X)^-1; null if the column
 * was omitted.
 */
function coefficientOf({ kept, r, z }: Reduced, column: number): { value: number; inverse: number } | null {
  const at = kept.indexOf(column);
  if (at < 0) return null;
  // Row `at` of R^-1 by forward substitution: w R = e_at. Then value = w z, inverse = w w'.
  const w = new Float64Array(kept.length);
  let value = 0;
  let inverse = 0;
  for (let j = at; j < kept.length; j += 1) {
    let rest = j === at ? 1 : 0;
    for (let i = at; i < j; i += 1) rest -= w[i]! * r[j]![i]!;
    w[j] = rest / r[j]![j]!;
    value += w[j]! * z[j]!;
    inverse += w[j]! ** 2;
  }
  return { value, inverse };
}

function squaresFrom(x: Float64Array, from: number): number {
  let total = 0;
  for (let i = from; i < x.length; i += 1) total += x[i]! ** 2;
  return total;
}

/** Applies I - v v' (v has squared length 2 and starts at `from`). */
function reflect(x: Float64Array, v: Float64Array, from: number): void {
  let dot = 0;
  for (let i = from; i < x.length; i += 1) dot += x[i]! * v[i]!;
  for (let i = from; i < x.length; i += 1) x[i]! -= dot * v[i]!;
}
