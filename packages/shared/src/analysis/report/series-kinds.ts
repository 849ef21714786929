import { roles } from '../../domain/devices/device.ts';
import type { Series } from '../../domain/runs/role-result.ts';
import { eachInFull } from '../parameters.ts';
import type { ReportContext } from './report-input.ts';

/** A stored series that the report draws. */
export interface SeriesKind {
  role: string;
  metric: string;
  label: string;
  unit: string;
  /** Stored value times this is in `unit`. */
  scale: number;
  /** Responses that it shows from the inside. */
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

/** In the order of the report; what no Run carries is left out. */
export const seriesKinds: readonly SeriesKind[] = [
  {
    role: 'subscriber',
    metric: 'latency.p50',
    label: 'Median latency each second',
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
    label: 'Messages received each second',
    unit: 'msg/s',
    scale: 1,
    answers: /^(rate|count)\./,
  },
];

/** The kinds that some counting Run carries, the one that answers the response first. */
export function kindsPresent(context: ReportContext): SeriesKind[] {
  const there = new Set(
    context.input.data.flatMap(({ series }) =>
      series.map(({ role, series: own }) => `${role} ${own.metric}`),
    ),
  );
  const present = seriesKinds.filter(({ role, metric }) => there.has(`${role} ${metric}`));
  const { response } = context.plan;
  return [
    ...present.filter(({ answers }) => answers.test(response)),
    ...present.filter(({ answers }) => !answers.test(response)),
  ];
}

/** The series of one kind in one Run until measuring ended, one for each device. */
export function seriesOf(context: ReportContext, runId: number, kind: SeriesKind): Series[] {
  const all = context.dataOf(runId)?.series ?? [];
  const { measureMs } = context.plan.workload;
  const devices = all
    .filter(({ role, series }) => role === kind.role && series.metric === kind.metric)
    .map(({ series }) => {
      // What was sampled in the drain says nothing about the load.
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

/** Samples of the measure phase in order; devices of a role are averaged sample by sample by their first one. */
export function measuredSamples(series: readonly Series[]): number[] {
  const [first] = series;
  if (!first) return [];
  return first.values.filter(
    (value, index): value is number =>
      value !== null && Number.isFinite(value) && (first.timesMs[index] ?? -1) >= 0,
  );
}
