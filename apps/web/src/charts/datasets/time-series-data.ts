import type { TreatmentIdentity } from '../../ui/treatment-mark.tsx';
import type { ChartTable } from './chart-table.ts';
import { decimate, type SeriesPoint } from './lttb.ts';

export type { SeriesPoint } from './lttb.ts';

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
    columns: [
      { head: 'Series' },
      { head: 'Time', unit: 's' },
      { head: 'Value', unit },
      ...(hasBand
        ? [
            { head: 'Band from', unit },
            { head: 'Band to', unit },
          ]
        : []),
    ],
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
