import { gammaTails } from './special.ts';

/** P(X >= x) of the chi-square distribution; NaN out of domain. */
export function chiSquareSf(x: number, df: number): number {
  return gammaTails(df / 2, x / 2).upper;
}
