import { decimalsFor } from '@mqttlab/shared/format/number';

/**
 * Decimals that all cells of a grid share: three significant digits for the middle value, few enough for the largest
 * to fit the given number of characters, point included.
 */
export function cellDecimals(values: readonly number[], characters: number): number {
  const sorted = values.map(Math.abs).sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) return 0;
  const whole = Math.max(1, Math.floor(Math.log10(Math.max(1, sorted.at(-1) ?? 1))) + 1);
  return Math.max(0, Math.min(decimalsFor(middle, 3), characters - 1 - whole));
}
