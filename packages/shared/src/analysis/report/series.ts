import { metricOfSeries } from '../../catalogue/flags.ts';
import { roles } from '../../domain/devices/device.ts';
import type { ReportSeries } from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { Series } from '../../domain/runs/role-result.ts';
import { independentRatio } from '../../statistics/comparisons/ratio.ts';
import { mean } from '../../statistics/descriptive/summary.ts';
import { averageGrid, gridSeries, type SeriesGrid, usualStepMs } from '../average-series.ts';
import { baselineOf } from '../contrasts.ts';
import { minRuns } from '../estimate.ts';
import { eachInFull } from '../parameters.ts';
import type { ReportContext } from './report-input.ts';

/** A stored series shown in the report. */
export interface SeriesKind {
  role: string;
  metric: string;
  label: string;
  unit: string;
  /** Factor to convert the stored value to `unit`. */
  scale: number;
  /** Responses that this series explains. */
  answers: RegExp;
}

const ofProcess = (role: string): SeriesKind[] => [
  {
    role,
    metric: 'cpu.process',
    label: `CPU of the ${role} process`,
    unit: '% of a core',
    scale: 1,
    answers: new RegExp(`^(cpu|cpuPerMessage)\\.${role}`),
  },
  {
    role,
    metric: 'memory.resident',
    label: `Memory of the ${role} process`,
    unit: 'MB',
    scale: 1e-6,
    answers: new RegExp(`^memory\\.${role}`),
  },
  {
    role,
    metric: 'energy.power',
    label: `Power of the ${role} device`,
    unit: 'W',
    scale: 1,
    answers: /^(energy|power|current|charge)/,
  },
];

export function named({ role, metric, label, unit }: SeriesKind) {
  return { role, metric, label, unit };
}

/** Kinds of series in the order of the report; kinds without data are omitted. */
export const seriesKinds: readonly SeriesKind[] = [
  {
    role: 'subscriber',
    metric: 'latency.p50',
    label: 'Median latency per second',
    unit: 'ms',
    scale: 1,
    answers: /^(latency|readingAge)/,
  },
  ...roles.flatMap(ofProcess),
  {
    role: 'subscriber',
    metric: 'probe.reached',
    label: 'Attempts that reached the broker',
    unit: '%',
    scale: 100,
    answers: /^availability/,
  },
  {
    role: 'publisher',
    metric: 'abuse.held',
    label: 'Connections or sessions held',
    unit: 'connections',
    scale: 1,
    answers: /^availability\.held/,
  },
  {
    role: 'subscriber',
    metric: 'messages.rate',
    label: 'Messages received per second',
    unit: 'msg/s',
    scale: 1,
    answers: /^(rate|count)\./,
  },
];

/** Returns the kinds with data in the runs that count; the kind that explains the response comes first. */
export function kindsPresent(context: ReportContext): SeriesKind[] {
  const isPresent = (kind: SeriesKind): boolean =>
    context
      .treatmentsFor(metricOfSeries(kind))
      .some(({ runs }) => runs.some(({ runId }) => context.seriesOf(runId, kind).length > 0));
  const present = seriesKinds.filter(isPresent);
  const { response } = context.plan;
  return [
    ...present.filter(({ answers }) => answers.test(response)),
    ...present.filter(({ answers }) => !answers.test(response)),
  ];
}

/** Returns the series of one kind in one run until the end of the measure phase, one per device. */
export function seriesOf(context: ReportContext, runId: number, kind: SeriesKind): Series[] {
  const { measureMs } = context.plan.workload;
  const devices = context.seriesOf(runId, kind).map((series) => {
    // Samples taken during the drain do not show the load.
    const kept = series.timesMs.flatMap((time, index) => (time < measureMs ? [index] : []));
    return {
      ...series,
      timesMs: kept.map((index) => series.timesMs[index] ?? 0),
      values: kept.map((index) => {
        const value = series.values[index] ?? null;
        return value === null ? null : value * kind.scale;
      }),
    };
  });
  return eachInFull(devices);
}

/**
 * Returns the samples of the measure phase; averages devices with the same role at the sample times of the
 * first device.
 */
export function measuredSamples(series: readonly Series[]): number[] {
  const [first] = series;
  if (!first) return [];
  return first.values.filter(
    (value, index): value is number =>
      value !== null && Number.isFinite(value) && (first.timesMs[index] ?? -1) >= 0,
  );
}

/** Maximum points of a figure: more than its pixels would only enlarge the document. */
const maxPoints = 240;
const minStepMs = 100;

/**
 * Returns one kind of series: the mean over runs with its band, and the difference from the baseline at the
 * same time.
 */
export function reportSeries(context: ReportContext, kind: SeriesKind): ReportSeries {
  const { plan, baselineId, level } = context;
  const treatments = context.treatmentsFor(metricOfSeries(kind));
  const durationMs = plan.workload.warmUpMs + plan.workload.measureMs;
  const gridOf = ({ runs }: ComparedTreatment): SeriesGrid => {
    const series = runs.map(({ runId }) => seriesOf(context, runId, kind)).filter(({ length }) => length > 0);
    const stepMs = Math.max(usualStepMs(series, minStepMs), Math.ceil(durationMs / maxPoints));
    return gridSeries(series, stepMs);
  };
  // Caches the last baseline, which all treatments usually share. Caching the grids of all treatments would
  // need too much memory.
  let last: { baseline: ComparedTreatment; grid: SeriesGrid } | null = null;
  return {
    ...named(kind),
    treatments: treatments.flatMap((treatment) => {
      const grid = gridOf(treatment);
      if (grid.timesMs.length === 0) return [];
      const baseline = baselineOf(treatment, treatments, baselineId);
      if (baseline && last?.baseline !== baseline) last = { baseline, grid: gridOf(baseline) };
      const overhead = baseline && last ? overheadOf(grid, last.grid, level) : [];
      const { timesMs, mean: means, lo, hi } = averageGrid(grid, level);
      return [
        {
          treatment: treatment.id,
          runs: grid.values.length,
          timesMs,
          mean: means.map(short),
          lo: lo.map(short),
          hi: hi.map(short),
          overhead: overhead.map(({ value }) => value),
          overheadLo: overhead.map((one) => one.lo),
          overheadHi: overhead.map((one) => one.hi),
        },
      ];
    }),
  };
}

function overheadOf(grid: SeriesGrid, other: SeriesGrid, level: number): Overhead[] {
  const place = new Map(other.timesMs.map((time, index) => [time, index]));
  return grid.timesMs.map((time, index) => {
    const at = place.get(time) ?? -1;
    const own = grid.values.flatMap((run) => run[index] ?? []);
    const base = other.values.flatMap((run) => run[at] ?? []);
    return overheadAt(own.length < 2 ? [] : own, base.length < 2 ? [] : base, level);
  });
}

interface Overhead {
  value: number | null;
  lo: number | null;
  hi: number | null;
}

/**
 * Returns the difference between two means as a percentage, with its interval if there are at least three
 * values.
 */
export function overheadAt(own: readonly number[], base: readonly number[], level: number): Overhead {
  const interval = Math.min(own.length, base.length) < minRuns ? null : independentRatio(own, base, level);
  const [top, bottom] = [mean(own), mean(base)];
  const ratio = top !== null && bottom !== null && bottom > 0 ? top / bottom : null;
  const percent = (one: number | null) => short(one === null ? null : (one - 1) * 100);
  return {
    value: percent(interval ? interval.ratio : ratio),
    lo: percent(interval?.lo ?? null),
    hi: percent(interval?.hi ?? null),
  };
}

/**
 * Rounds to six digits, which is more than any figure shows; full precision would double the document size.
 */
export function short(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(6));
}
