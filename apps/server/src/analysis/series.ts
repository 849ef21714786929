import type { ComparedSeries } from '@mqttlab/shared/domain/comparison';
import type { Series } from '@mqttlab/shared/domain/role-result';
import type { CompareQuery } from '@mqttlab/shared/protocol/http';
import { meanInterval } from '@mqttlab/shared/statistics/interval';
import { mean } from '@mqttlab/shared/statistics/summary';
import { selectRuns } from './select-runs.ts';
import type { AnalysisStores } from './stores.ts';

/** Points of one series above which the grid gets coarser. */
const mostPoints = 2000;

export interface SeriesQuestion {
  metric: string;
  role: string;
  /** Flagged runs too. */
  flagged: boolean;
}

/** One series for each Treatment that has the metric. Throws a 404 problem for a number that is not there. */
export function compareSeries(
  stores: AnalysisStores,
  query: CompareQuery,
  question: SeriesQuestion,
): ComparedSeries[] {
  return selectRuns(stores, query).treatments.flatMap(({ id, experiment, runs }) => {
    const counted = runs.filter(({ flagged }) => question.flagged || !flagged).map((run) => run.id);
    const found = stores.runs.series(counted, question);
    const [first] = found;
    if (!first) return [];
    const byRun = [...Map.groupBy(found, ({ runId }) => runId).values()].map((devices) =>
      devices.map(({ series }) => series),
    );
    const { metric, role } = question;
    const sampleMs = 1000 / (experiment.plan?.sampleHz ?? 1);
    return [
      {
        treatmentId: id,
        metric,
        role,
        unit: first.series.unit,
        runs: byRun.length,
        ...averageOnGrid(byRun, sampleMs),
      },
    ];
  });
}

type Averaged = Pick<ComparedSeries, 'timesMs' | 'mean' | 'lo' | 'hi'>;

/**
 * Mean over runs with a 95 % t interval at multiples of `sampleMs`; each sample counts at the nearest point, and
 * samples of one run that meet there are averaged first. Pure.
 */
export function averageOnGrid(runs: readonly (readonly Series[])[], sampleMs: number): Averaged {
  const times = runs.flatMap((devices) => devices.flatMap(({ timesMs }) => timesMs));
  const from = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const to = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  if (!(from <= to)) return { timesMs: [], mean: [], lo: [], hi: [] };
  const stepMs = sampleMs * Math.max(1, Math.ceil((to - from) / sampleMs / mostPoints));
  const first = Math.round(from / stepMs);
  const length = Math.round(to / stepMs) - first + 1;
  const grids = runs.map((devices) => meansOnGrid(devices, { stepMs, first, length }));
  const points = Array.from({ length }, (_, index) =>
    meanInterval(grids.flatMap((grid) => grid[index] ?? [])),
  );
  return {
    timesMs: points.map((_, index) => (first + index) * stepMs),
    mean: points.map((point) => point.mean),
    lo: points.map((point) => point.lo),
    hi: points.map((point) => point.hi),
  };
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
