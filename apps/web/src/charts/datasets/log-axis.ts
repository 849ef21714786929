import type { NiceAxis } from './nice-axis.ts';

/** A logarithm needs every value above zero. */
export function canBeLog(values: readonly number[]): boolean {
  return values.length > 0 && values.every((value) => value > 0 && Number.isFinite(value));
}

export const noLogNote = 'linear, as zero has no logarithm';

/** More ticks than these would crowd; then only powers of ten are left. */
const maxTicks = 8;

/** From one of 1, 2, 5 times a power of ten to another, around values above zero. */
export function logAxis(values: readonly number[]): NiceAxis {
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const from = Math.floor(Math.log10(lowest)) - 1;
  const to = Math.ceil(Math.log10(highest)) + 1;
  const powers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const all = powers.flatMap((power) => [1, 2, 5].map((lead) => Number(`${lead}e${power}`)));
  const first = all.findLastIndex((tick) => tick <= lowest * 0.98);
  const last = all.findIndex((tick) => tick >= highest * 1.02);
  const ticks = all.slice(first, last + 1);
  const min = ticks[0] ?? lowest;
  const max = ticks.at(-1) ?? highest;
  const isPower = (tick: number) => Number.isInteger(Math.log10(tick));
  const few = ticks.length > maxTicks ? ticks.filter(isPower) : ticks;
  const decimals = Math.max(0, -Math.floor(Math.log10(min)));
  return { min, max, step: max - min, decimals, ticks: few, isLog: true };
}
