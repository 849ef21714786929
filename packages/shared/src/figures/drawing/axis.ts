import { decimalsFor, formatFixed } from '../../format/number.ts';

export interface Axis {
  min: number;
  max: number;
  ticks: readonly number[];
  isLog: boolean;
  format(value: number): string;
}

/** A linear axis over the values, ending at round numbers, in steps of 1, 2 or 5 times a power of ten. */
export function linearAxis(
  values: readonly number[],
  { steps = 5, zero = false }: { steps?: number; zero?: boolean } = {},
): Axis {
  const finite = values.filter(Number.isFinite);
  const low = Math.min(...(zero ? [0] : []), ...finite);
  const high = Math.max(...(zero ? [0] : []), ...finite);
  const [min, max] = finite.length === 0 ? [0, 1] : low === high ? around(low) : [low, high];
  const step = niceStep((max - min) / steps);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.floor(min / step + 1e-6);
  const last = Math.ceil(max / step - 1e-6);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toFixed(Math.min(12, decimals + 1))),
  );
  return {
    min: ticks[0] ?? min,
    max: ticks.at(-1) ?? max,
    ticks,
    isLog: false,
    format: (value) => formatFixed(value, Math.min(9, decimals)),
  };
}

/** A logarithmic axis with ticks at 1, 2 and 5 (or only 1) times powers of ten; values must be positive. */
export function logAxis(values: readonly number[]): Axis {
  const positive = values.filter((value) => Number.isFinite(value) && value > 0);
  const [low, high] = positive.length === 0 ? [1, 10] : [Math.min(...positive), Math.max(...positive)];
  const decades = Math.log10(high / low);
  const factors = decades > 3 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const factor of factors) ticks.push(Number((factor * 10 ** power).toPrecision(3)));
  }
  const min = ticks.findLast((tick) => tick <= low) ?? low;
  const max = ticks.find((tick) => tick >= high && tick > min) ?? high;
  return {
    min,
    max,
    ticks: ticks.filter((tick) => tick >= min && tick <= max),
    isLog: true,
    format: (value) => formatFixed(value, decimalsFor(value, 1)),
  };
}

/** Pixel of a value between the ends of an axis. */
export function scaleOf({ min, max, isLog }: Axis, from: number, to: number): (value: number) => number {
  if (!isLog) return (value) => from + ((value - min) / (max - min)) * (to - from);
  const [low, high] = [Math.log(min), Math.log(max)];
  return (value) => from + ((Math.log(Math.max(value, min / 10)) - low) / (high - low)) * (to - from);
}

function around(value: number): [number, number] {
  return value === 0 ? [0, 1] : [Math.min(0, value * 2), Math.max(0, value * 2)];
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return (lead <= 1.0001 ? 1 : lead <= 2.0001 ? 2 : lead <= 5.0001 ? 5 : 10) * power;
}
