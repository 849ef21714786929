// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import { columnsOf } from '@mqttlab/charts/table';
import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';
import type { ChartTable } from './chart-table.ts';

export type SeriesPoint = {
  /** Seconds since the measure phase began; negative in the warm-up. */
  t: number;
  v: number;
};

/** P5 to P95, or a confidence band, at one instant. */
export type BandPoint = { t: number; lo: number; hi: number };

export type TimeSeries = {
  treatment: TreatmentIdentity;
  /** Written at the line's end; the treatment's short name unless told otherwise. */
  name?: string;
  points: readonly SeriesPoint[];
  band?: readonly BandPoint[];
  /** Drawn thicker and above the others. */
  isLead?: boolean;
};

/** A shaded stretch with its name: warm-up, drain. */
export type SeriesPhase = { from: number; to: number; name: string; isShaded: boolean };

/** More points than pixels only cost time. */
export const MAX_POINTS = 600;

export function decimateSeries(points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  return decimate(points, MAX_POINTS);
}

/**
 * Keeps at most `limit` points with the shape of the series: Largest Triangle Three Buckets
 * (Steinarsson 2013). First and last points always stay.
 */
export function decimate(points: readonly SeriesPoint[], limit: number): readonly SeriesPoint[] {
  const n = points.length;
  if (n <= limit || limit < 3) return points;
  const kept: SeriesPoint[] = [points[0]!];
  const size = (n - 2) / (limit - 2);
  let last = points[0]!;
  for (let bucket = 0; bucket < limit - 2; bucket += 1) {
    const from = Math.floor(bucket * size) + 1;
    const to = Math.floor((bucket + 1) * size) + 1;
    const after = average(points, to, Math.min(n, Math.floor((bucket + 2) * size) + 1));
    let best = points[from]!;
    let bestArea = -1;
    for (let i = from; i < to; i += 1) {
      const point = points[i]!;
      const area = Math.abs(
        (last.t - after.t) * (point.v - last.v) - (last.t - point.t) * (after.v - last.v),
      );
      if (area > bestArea) {
        bestArea = area;
        best = point;
      }
    }
    kept.push(best);
    last = best;
  }
  kept.push(points[n - 1]!);
  return kept;
}

function average(points: readonly SeriesPoint[], from: number, to: number): SeriesPoint {
  let t = 0;
  let v = 0;
  for (let i = from; i < to; i += 1) {
    t += points[i]!.t;
    v += points[i]!.v;
  }
  const count = Math.max(1, to - from);
  return { t: t / count, v: v / count };
}

/** Keeps every k-th band point, with the lowest and highest of those it stands for. */
export function decimateBand(band: readonly BandPoint[]): readonly BandPoint[] {
  const size = Math.ceil(band.length / MAX_POINTS);
  if (size <= 1) return band;
  const kept: BandPoint[] = [];
  for (let i = 0; i < band.length; i += size) {
    const part = band.slice(i, i + size);
    const first = part[0];
    if (!first) continue;
    kept.push({
      t: first.t,
      lo: Math.min(...part.map((point) => point.lo)),
      hi: Math.max(...part.map((point) => point.hi)),
    });
  }
  return kept;
}

export type TimeSeriesTableRequest = { unit: string; series: readonly TimeSeries[] };

/** One row per series and instant, undecimated. */
export function timeSeriesTable({ unit, series }: TimeSeriesTableRequest): ChartTable {
  const hasBand = series.some((one) => one.band !== undefined);
  return {
    columns: columnsOf(
      'Series',
      ['Time', 's'],
      ['Value', unit],
      hasBand && ['Band from', unit],
      hasBand && ['Band to', unit],
    ),
    rows: series.flatMap((one) => {
      const bands = new Map(one.band?.map((point) => [point.t, point]));
      return one.points.map(({ t, v }) => {
        const band = bands.get(t);
        const name = one.name ?? one.treatment.label;
        return hasBand ? [name, t, v, band?.lo ?? null, band?.hi ?? null] : [name, t, v];
      });
    }),
  };
}
