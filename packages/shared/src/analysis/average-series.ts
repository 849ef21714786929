import type { Series } from '../domain/role-result.ts';
import { type MeanInterval, meanInterval } from '../statistics/interval.ts';
import { mean } from '../statistics/summary.ts';

/** Points of one series above which the grid gets coarser. */
const mostPoints = 2000;

/** Each Run's values at common instants: `values[run][index]`, null where a Run has no sample there. */
export interface SeriesGrid {
  timesMs: number[];
  values: (number | null)[][];
}

export interface AveragedSeries {
  timesMs: number[];
  mean: (number | null)[];
  lo: (number | null)[];
  hi: (number | null)[];
}

/**
 * Puts each Run's series (one for each device) on multiples of `sampleMs`; a sample counts at the nearest point, and
 * samples of one Run that meet there are averaged. Pure.
 */
export function gridSeries(runs: readonly (readonly Series[])[], sampleMs: number): SeriesGrid {
  const times = runs.flatMap((devices) => devices.flatMap(({ timesMs }) => timesMs));
  const from = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const to = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  if (!(from <= to)) return { timesMs: [], values: runs.map(() => []) };
  const stepMs = sampleMs * Math.max(1, Math.ceil((to - from) / sampleMs / mostPoints));
  const first = Math.round(from / stepMs);
  const length = Math.round(to / stepMs) - first + 1;
  return {
    timesMs: Array.from({ length }, (_, index) => (first + index) * stepMs),
    values: runs.map((devices) => meansOnGrid(devices, { stepMs, first, length })),
  };
}

/** Mean over Runs at each instant with its 95 % t interval. Pure. */
export function averageGrid({ timesMs, values }: SeriesGrid): AveragedSeries {
  const points = timesMs.map((_, index) => intervalAt(values, index));
  return {
    timesMs,
    mean: points.map((point) => point.mean),
    lo: points.map((point) => point.lo),
    hi: points.map((point) => point.hi),
  };
}

/** Both at once: for those who need no single Run. */
export function averageOnGrid(runs: readonly (readonly Series[])[], sampleMs: number): AveragedSeries {
  return averageGrid(gridSeries(runs, sampleMs));
}

function intervalAt(values: SeriesGrid['values'], index: number): MeanInterval {
  return meanInterval(values.flatMap((run) => run[index] ?? []));
}

function meansOnGrid(
  devices: readonly Series[],
  grid: { stepMs: number; first: number; length: number },
): (number | null)[] {
  const cells: number[][] = Array.from({ length: grid.length }, () => []);
  for (const { timesMs, values } of devices) {
    for (const [index, value] of values.entries()) {
      const time = timesMs[index];
      if (value !== null && time !== undefined)
        cells[Math.round(time / grid.stepMs) - grid.first]?.push(value);
    }
  }
  return cells.map(mean);
}
