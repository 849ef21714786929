import type { ReportSeries } from '../../domain/report/report.ts';
import { independentRatio } from '../../statistics/comparisons/ratio.ts';
import { meanAndSquaredError } from '../../statistics/comparisons/t-test.ts';
import { averageGrid, gridSeries, type SeriesGrid, usualStepMs } from '../average-series.ts';
import { baselineOf } from '../contrasts.ts';
import { minRuns } from '../estimate.ts';
import type { ReportContext } from './report-input.ts';
import { type SeriesKind, seriesOf } from './series-kinds.ts';

/** More points than a figure has pixels only make the document long. */
const maxPoints = 240;
const minStepMs = 100;

/** One kind of series: mean over runs with its band, and what each costs over its baseline at the same instant. */
export function reportSeries(context: ReportContext, kind: SeriesKind): ReportSeries {
  const { treatments, plan, baselineId } = context;
  const grids = new Map(treatments.map((treatment) => [treatment.id, gridOf(context, treatment.id, kind)]));
  return {
    role: kind.role,
    metric: kind.metric,
    label: kind.label,
    unit: kind.unit,
    treatments: treatments.flatMap((treatment) => {
      const grid = grids.get(treatment.id);
      if (!grid || grid.timesMs.length === 0) return [];
      const baseline = baselineOf(treatment, treatments, baselineId);
      const other = baseline ? grids.get(baseline.id) : undefined;
      return [
        {
          treatment: treatment.id,
          runs: grid.values.length,
          ...shortened({
            ...averageGrid(grid),
            ...(other ? overheadOf(grid, other) : { overhead: [], overheadLo: [], overheadHi: [] }),
          }),
        },
      ];
    }),
  };

  function gridOf(from: ReportContext, id: string, one: SeriesKind): SeriesGrid {
    const runs = from.treatments.find((entry) => entry.id === id)?.runs ?? [];
    const series = runs.map(({ runId }) => seriesOf(from, runId, one)).filter(({ length }) => length > 0);
    const durationMs = plan.workload.warmUpMs + plan.workload.measureMs;
    return gridSeries(series, Math.max(usualStepMs(series, minStepMs), Math.ceil(durationMs / maxPoints)));
  }
}

function overheadOf(
  grid: SeriesGrid,
  other: SeriesGrid,
): { overhead: (number | null)[]; overheadLo: (number | null)[]; overheadHi: (number | null)[] } {
  const place = new Map(other.timesMs.map((time, index) => [time, index]));
  const points = grid.timesMs.map((time, index) => {
    const at = place.get(time);
    if (at === undefined) return null;
    const own = grid.values.flatMap((run) => run[index] ?? []);
    const base = other.values.flatMap((run) => run[at] ?? []);
    const interval = Math.min(own.length, base.length) < minRuns ? null : independentRatio(own, base);
    if (interval) return interval;
    const top = meanAndSquaredError(own);
    const bottom = meanAndSquaredError(base);
    return top && bottom && bottom.m > 0 ? { ratio: top.m / bottom.m, lo: null, hi: null } : null;
  });
  const percent = (ratio: number | null | undefined) =>
    ratio === null || ratio === undefined ? null : (ratio - 1) * 100;
  return {
    overhead: points.map((point) => percent(point?.ratio)),
    overheadLo: points.map((point) => percent(point?.lo)),
    overheadHi: points.map((point) => percent(point?.hi)),
  };
}

/** Six digits are more than any figure shows; full ones would double the document. */
function shortened<T extends Record<string, (number | null)[]>>(columns: T): T {
  const short = Object.entries(columns).map(([name, values]) => [
    name,
    values.map((value) => (value === null ? null : Number(value.toPrecision(6)))),
  ]);
  return Object.fromEntries(short) as T;
}
