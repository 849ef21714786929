import { normalCdf } from '../distributions/normal.ts';
import { deviations } from './autocorrelation.ts';
import { coefficientOf, type Reduced, reduceLeastSquares } from './least-squares.ts';

export interface AdfTest {
  /** t value of the level; very negative speaks against a unit root, so for stationarity. */
  statistic: number;
  pValue: number;
  usedLag: number;
  nobs: number;
  maxLag: number;
  crit: { '1%': number; '5%': number; '10%': number };
  icBest: number;
  /** Second best AIC minus the best; null with a single candidate. */
  aicGap: number | null;
}

/**
 * Augmented Dickey-Fuller test with constant, lag chosen by AIC (statsmodels `adfuller` defaults;
 * p-value MacKinnon 1994, critical values MacKinnon 2010).
 * Null when constant, shorter than 4, not finite, or fitted perfectly. Does not see a transient.
 */
export function augmentedDickeyFuller(values: ArrayLike<number>): AdfTest | null {
  const n = values.length;
  // The constant in the regression absorbs the mean; taking it out first keeps the digits.
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

/** Regression of dx[t] on 1, x[t-1], dx[t-1] ... dx[t-lags] for t from `firstRow`. */
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
