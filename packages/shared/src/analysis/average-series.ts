// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import type { Series } from '../domain/runs/role-result.ts';
import { meanAndSquaredError } from '../statistics/comparisons/t-test.ts';
import { mean } from '../statistics/descriptive/summary.ts';
import { tTwoSidedQuantile } from '../statistics/distributions/normal.ts';
import { minRuns } from './estimate.ts';

/** Maximum number of points in one series; longer series use a coarser grid. */
const maxPoints = 2000;

/** Values of each run at common times, as `values[run][index]`; null if a run has no sample at that time. */
export interface SeriesGrid {
  timesMs: number[];
  values: (number | null)[][];
}

interface FloatGrid {
  timesMs: number[];
  values: Float64Array[];
}

export interface AveragedSeries {
  timesMs: number[];
  mean: (number | null)[];
  lo: (number | null)[];
  hi: (number | null)[];
}

/**
 * Returns the median interval between samples of the first series, as a multiple of `minMs` and at least `minMs`. On a
 * finer grid, the mean would alternate between runs with interleaved samples. Pure.
 */
export function usualStepMs(
  runs: readonly (readonly { timesMs: readonly number[] }[])[],
  minMs: number,
): number {
  const times = runs[0]?.[0]?.timesMs ?? [];
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const middle = steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 1000;
  return Math.max(1, Math.round(middle / minMs)) * minMs;
}

/**
 * Aligns each run's series (one per device) to multiples of `sampleMs`. A sample counts at the nearest point; several
 * samples of a run at one point are averaged. Pure.
 */
export function gridSeries(runs: readonly (readonly Series[])[], sampleMs: number): SeriesGrid {
  const { timesMs, values } = makeGrid(runs, sampleMs);
  return {
    timesMs,
    values: values.map((run) => Array.from(run, (value) => (Number.isNaN(value) ? null : value))),
  };
}

/** Like `alignRuns`, but with NaN for missing samples, which makes calculations several times faster. */
function makeGrid(runs: readonly (readonly Series[])[], sampleMs: number): FloatGrid {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { timesMs } of runs.flat()) {
    for (const time of timesMs) {
      from = Math.min(from, time);
      to = Math.max(to, time);
    }
  }
  if (!(from <= to)) return { timesMs: [], values: runs.map(() => new Float64Array()) };
  const stepMs = sampleMs * Math.max(1, Math.ceil((to - from) / sampleMs / maxPoints));
  const first = Math.round(from / stepMs);
  const length = Math.round(to / stepMs) - first + 1;
  return {
    timesMs: Array.from({ length }, (_, index) => (first + index) * stepMs),
    values: runs.map((devices) => meansOnGrid(devices, { stepMs, first, length })),
  };
}

/** Computes the mean over runs at each time with its t interval, if there are at least three runs. Pure. */
export function averageGrid({ timesMs, values }: SeriesGrid, level: number): AveragedSeries {
  const floats = values.map((run) => Float64Array.from(run, (value) => value ?? Number.NaN));
  return averageFloats({ timesMs, values: floats }, level);
}

function averageFloats({ timesMs, values }: FloatGrid, level: number): AveragedSeries {
  const averaged: AveragedSeries = { timesMs, mean: [], lo: [], hi: [] };
  // The quantile depends only on the number of runs, and computing it is the most expensive step.
  const quantiles = new Map<number, number>();
  const all = new Float64Array(values.length);
  for (let index = 0; index < timesMs.length; index += 1) {
    let n = 0;
    for (const run of values) {
      const value = run[index] ?? Number.NaN;
      if (!Number.isNaN(value)) all[n++] = value;
    }
    // At the ends, where some runs are missing, the mean of the remaining runs is not the mean over all runs.
    const own = all.subarray(0, n * 2 < values.length ? 0 : n);
    const stats = meanAndSquaredError(own);
    const t = quantiles.get(n) ?? tTwoSidedQuantile(1 - level, n - 1);
    quantiles.set(n, t);
    const half = stats && n >= minRuns ? t * Math.sqrt(stats.v) : null;
    averaged.mean.push(stats?.m ?? mean(own));
    // If no run has negative values, for example for rates, the band does not extend below zero.
    const least = own.every((value) => value >= 0) ? 0 : Number.NEGATIVE_INFINITY;
    averaged.lo.push(stats && half !== null ? Math.max(least, stats.m - half) : null);
    averaged.hi.push(stats && half !== null ? stats.m + half : null);
  }
  return averaged;
}

/** Aligns and averages runs in one step. */
export function averageOnGrid(
  runs: readonly (readonly Series[])[],
  sampleMs: number,
  level: number,
): AveragedSeries {
  return averageFloats(makeGrid(runs, sampleMs), level);
}

function meansOnGrid(
  devices: readonly Series[],
  grid: { stepMs: number; first: number; length: number },
): Float64Array {
  const sums = new Float64Array(grid.length);
  const counts = new Uint32Array(grid.length);
  for (const { timesMs, values } of devices) {
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i];
      const time = timesMs[i];
      if (value === null || value === undefined || time === undefined) continue;
      const place = Math.round(time / grid.stepMs) - grid.first;
      if (!(place >= 0 && place < grid.length)) continue;
      sums[place]! += value;
      counts[place]! += 1;
    }
  }
  // 0 / 0: no sample.
  for (let i = 0; i < sums.length; i += 1) sums[i]! /= counts[i]!;
  return sums;
}
