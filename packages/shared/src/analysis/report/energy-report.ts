import { metricOfSeries } from '../../catalogue/flags.ts';
import { roles } from '../../domain/devices/device.ts';
import type { ReportEnergy } from '../../domain/report/report-energy.ts';
import type { RunEnergy } from '../../domain/runs/role-result.ts';
import { mean } from '../../statistics/descriptive/summary.ts';
import { estimateBatteryLife, sensitivityGrid } from '../../statistics/energy/battery.ts';
import { runningIntegral } from '../../statistics/energy/running-integral.ts';
import { averageGrid, gridSeries } from '../average-series.ts';
import { estimateValues } from '../estimate.ts';
import type { ReportContext } from './report-input.ts';
import { type SeriesKind, seriesKinds, seriesOf } from './series.ts';

/** Capacity of a common pair of AA lithium cells, used if no battery is configured. */
export const usualBattery = { capacityMAh: 3000, usableFraction: 0.85 };
const factors = [0.5, 1, 1.5, 2];
/** Metric that decides which flagged runs are excluded from energy. */
export const energyMetric = 'energy.total';
/** Maximum number of points in a cumulative curve; more would only enlarge the document. */
const maxPoints = 120;
/** Maximum gap without samples; with a longer gap, the energy is unknown. */
const longestGapMs = 2500;

interface EnergyReport {
  energy: ReportEnergy[];
  /** Reasons why energy is missing or incomplete. */
  missing: string[];
}

interface MeasuredEnergy {
  treatment: string;
  runId: number;
  energy: RunEnergy;
  machine: string;
}

/**
 * Returns power, charge and battery life for devices that measured them; never combines sources of different
 * quality.
 */
export function reportEnergy(context: ReportContext): EnergyReport {
  const missing: string[] = [];
  const measured = roles.flatMap((role) => {
    const found = energyOf(context, role);
    const qualities = [...new Set(found.map((entry) => entry.energy.quality))];
    const [quality] = qualities;
    if (quality === undefined) return [];
    if (qualities.length > 1) {
      missing.push(
        `Energy of the ${role} comes from sources of different quality (${qualities.join(', ')}): such values cannot be compared, so none are shown.`,
      );
      return [];
    }
    return [{ role, quality, found }];
  });
  // Roles that are on the same machine in every run have the same energy, which is listed only once.
  const machines = Map.groupBy(measured, ({ found }) =>
    JSON.stringify([...new Set(found.map(({ runId, machine }) => `${runId} ${machine}`))].sort()),
  );
  const energy = [...machines.values()].flatMap(([first, ...others]) =>
    first ? [reportRole(context, { ...first, sharedBy: others.map(({ role }) => role) })] : [],
  );
  if (energy.length === 0 && missing.length === 0) {
    missing.push('No device measured power: charge, battery life and their sensitivity are unavailable.');
  }
  return { energy, missing };
}

function energyOf(context: ReportContext, role: string): MeasuredEnergy[] {
  return context
    .treatmentsFor(energyMetric)
    .flatMap(({ id, runs }) =>
      runs.flatMap(({ runId }) =>
        (context.dataOf(runId)?.energy ?? []).flatMap((entry, index) =>
          entry.role === role
            ? [{ treatment: id, runId, energy: entry.energy, machine: entry.machine ?? `${role} ${index}` }]
            : [],
        ),
      ),
    );
}

interface Found {
  role: string;
  sharedBy: string[];
  quality: string;
  found: readonly MeasuredEnergy[];
}

function reportRole(context: ReportContext, { role, sharedBy, quality, found }: Found): ReportEnergy {
  const seconds = context.plan.workload.measureMs / 1000;
  const power = context.all.flatMap(({ id }) => {
    const own = found.filter(({ treatment, energy }) => treatment === id && energy.measureJ !== null);
    const perRun = [...Map.groupBy(own, ({ runId }) => runId).values()].map((run) => {
      const machines = new Map(run.map(({ machine, energy }) => [machine, energy.measureJ ?? 0]));
      return [...machines.values()].reduce((sum, joules) => sum + joules, 0) / seconds;
    });
    const {
      n,
      value: watts,
      lo,
      hi,
    } = estimateValues(perRun, { quantity: 'positive', unit: 'W' }, context.level);
    if (watts === null) return [];
    const voltageV = mean(own.flatMap(({ energy }) => energy.voltageV ?? []));
    return [{ treatment: id, runs: n, watts, lo, hi, voltageV }];
  });
  const kind = seriesKinds.find((entry) => entry.role === role && entry.metric === 'energy.power');
  return {
    role,
    sharedBy,
    quality,
    source: [...new Set(found.map(({ energy }) => energy.detail || energy.source))].join(', '),
    power,
    cumulative: kind ? cumulate(context, kind) : [],
    battery: batteryOf(power, mean(found.flatMap(({ energy }) => energy.batteryMah ?? []))),
    sensitivity: sensitivityOf(context, { roles: [role, ...sharedBy], power }),
  };
}

/**
 * Returns the cumulative energy in J since the start of the measure phase, with the trapezoidal rule over
 * each run's samples.
 */
function cumulate(context: ReportContext, kind: SeriesKind): ReportEnergy['cumulative'] {
  const { sampleHz, workload } = context.plan;
  const stepMs = Math.max(Math.round(1000 / sampleHz), Math.ceil(workload.measureMs / maxPoints));
  return context.treatmentsFor(metricOfSeries(kind)).flatMap(({ id, runs }) => {
    const series = runs.map(({ runId }) => seriesOf(context, runId, kind)).filter(({ length }) => length > 0);
    const grid = gridSeries(series, stepMs);
    const places = grid.timesMs.flatMap((time, index) =>
      time >= 0 && time < workload.measureMs ? [index] : [],
    );
    const [first = 0, last = 0] = [places[0], places.at(-1)];
    if (places.length === 0) return [];
    // The start and end of the phase use the power of the nearest sample.
    const timesMs = [0, ...grid.timesMs.slice(first, last + 1), workload.measureMs];
    const values = grid.values.map((run) => {
      const watts = withoutGaps(run.slice(first, last + 1), longestGapMs / stepMs);
      const integral = runningIntegral(timesMs, [watts[0] ?? null, ...watts, watts.at(-1) ?? null]);
      return integral.map((total) => (total === null ? null : total / 1000));
    });
    const averaged = averageGrid({ timesMs, values }, context.level);
    return [{ treatment: id, timesMs, joules: averaged.mean, lo: averaged.lo, hi: averaged.hi }];
  });
}

/**
 * Fills short gaps with the previous value (at the start, with the next value); returns nothing if a gap is
 * too long.
 */
function withoutGaps(values: readonly (number | null)[], longest: number): (number | null)[] {
  let last = values.find((value) => value !== null) ?? null;
  let missing = 0;
  let isTooLong = false;
  const filled = values.map((value) => {
    missing = value === null ? missing + 1 : 0;
    isTooLong ||= missing > longest;
    last = value ?? last;
    return last;
  });
  return isTooLong ? values.map(() => null) : filled;
}

function batteryOf(power: ReportEnergy['power'], configuredMah: number | null): ReportEnergy['battery'] {
  const voltageV = mean(power.flatMap((entry) => entry.voltageV ?? []));
  if (voltageV === null || !(voltageV > 0)) return null;
  const own = { ...usualBattery, capacityMAh: configuredMah ?? usualBattery.capacityMAh };
  return {
    ...own,
    voltageV,
    rows: power.map(({ treatment, watts }) => {
      const currentMA = (watts / voltageV) * 1000;
      const { hours } = estimateBatteryLife({ ...own, activeMA: currentMA, sleepMA: 0, duty: 1 });
      return { treatment, currentMA, hours };
    }),
  };
}

/**
 * Returns the energy of the set-up phases and the mean power of the measure phase as means over runs, for a
 * fixed total time. Uses the baseline, or the first treatment with energy.
 */
function sensitivityOf(
  context: ReportContext,
  { roles, power }: { roles: readonly string[]; power: ReportEnergy['power'] },
): ReportEnergy['sensitivity'] {
  const measureS = context.plan.workload.measureMs / 1000;
  const isBaseline = ({ treatment }: { treatment: string }) => treatment === context.baselineId;
  const ordered = [...power.filter(isBaseline), ...power.filter((entry) => !isBaseline(entry))];
  for (const { treatment, watts: steady } of ordered) {
    const runs = context.treatmentsFor(energyMetric).find(({ id }) => id === treatment)?.runs ?? [];
    const setUps = runs.flatMap(({ runId }) => setUpOf(context, runId, roles));
    const joules = mean(setUps.map((setUp) => setUp.joules));
    const handshakeS = mean(setUps.map((setUp) => setUp.seconds));
    if (joules === null || handshakeS === null || !(handshakeS > 0)) continue;
    const parts = { handshake: joules / handshakeS, steady, handshakeS, totalS: handshakeS + measureS };
    const grid = sensitivityGrid(parts, { handshakeFactors: factors, loadFactors: factors });
    return {
      treatment,
      runs: setUps.length,
      handshakeS,
      handshakeShare: joules / (joules + steady * measureS),
      cells: grid.map(({ consumed: _, ...cell }) => cell),
    };
  }
  return null;
}

/** Returns the set-up energy of the first of these roles that measured it. */
function setUpOf(
  context: ReportContext,
  runId: number,
  roles: readonly string[],
): { seconds: number; joules: number }[] {
  for (const role of roles) {
    const setUp = context.dataOf(runId)?.roleSetUps.find((entry) => entry.role === role);
    if (setUp && setUp.joules !== null) return [{ seconds: setUp.seconds, joules: setUp.joules }];
  }
  return [];
}
