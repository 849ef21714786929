import type { ReportEnergy } from '../../domain/report-energy.ts';
import type { RunEnergy } from '../../domain/role-result.ts';
import { estimateBatteryLife } from '../../statistics/battery.ts';
import { energySensitivity } from '../../statistics/sensitivity.ts';
import { mean } from '../../statistics/summary.ts';
import { averageGrid, gridSeries } from '../average-series.ts';
import type { ReportContext } from './report-input.ts';
import { measuredSamples, type SeriesKind, seriesKinds, seriesOf } from './series-kinds.ts';

/** A common pair of AA-sized lithium cells, where nobody told what battery the device has. */
const battery = { capacityMAh: 3000, usableFraction: 0.85 };
const factors = [0.5, 1, 1.5, 2];
const setUpPhases = ['tcp', 'tls', 'connect', 'subscribe'];

export interface EnergyReport {
  energy: ReportEnergy[];
  /** Why there is none, or why some of it is left out. */
  missing: string[];
}

/** Power, charge and battery life where a device told them; sources of different quality are never put together. */
export function reportEnergy(context: ReportContext): EnergyReport {
  const missing: string[] = [];
  const energy = ['broker', 'publisher', 'subscriber'].flatMap((role) => {
    const found = context.treatments.flatMap(({ id, runs }) =>
      runs.flatMap(({ runId }) =>
        (context.dataOf(runId)?.energy ?? [])
          .filter((entry) => entry.role === role)
          .map((entry) => ({ treatment: id, runId, energy: entry.energy })),
      ),
    );
    const qualities = [...new Set(found.map((entry) => entry.energy.quality))];
    const [quality] = qualities;
    if (quality === undefined) return [];
    if (qualities.length > 1) {
      missing.push(
        `Energy of the ${role} comes from sources of different quality (${qualities.join(', ')}): such figures cannot be compared, so none are given.`,
      );
      return [];
    }
    return [reportRole(context, { role, quality, found })];
  });
  if (energy.length === 0 && missing.length === 0) {
    missing.push('No device measured power: charge, battery life and their sensitivity are not given.');
  }
  return { energy, missing };
}

interface Found {
  role: string;
  quality: string;
  found: readonly { treatment: string; runId: number; energy: RunEnergy }[];
}

function reportRole(context: ReportContext, { role, quality, found }: Found): ReportEnergy {
  const seconds = context.plan.workload.measureMs / 1000;
  const power = context.treatments.flatMap(({ id }) => {
    const own = found.filter(({ treatment }) => treatment === id);
    const watts = mean(
      own.flatMap(({ energy }) => (energy.measureJ === null ? [] : [energy.measureJ / seconds])),
    );
    if (watts === null) return [];
    return [
      {
        treatment: id,
        runs: own.length,
        watts,
        voltageV: mean(own.flatMap(({ energy }) => energy.voltageV ?? [])),
      },
    ];
  });
  const kind = seriesKinds.find((entry) => entry.role === role && entry.metric === 'energy.power');
  return {
    role,
    quality,
    source: [...new Set(found.map(({ energy }) => energy.detail || energy.source))].join(', '),
    power,
    cumulative: kind ? cumulate(context, kind) : [],
    battery: batteryOf(power, mean(found.flatMap(({ energy }) => energy.batteryMah ?? []))),
    sensitivity: kind ? sensitivityOf(context, kind) : null,
  };
}

/** J since the start of the measure phase, each sample counted until the next. */
function cumulate(context: ReportContext, kind: SeriesKind): ReportEnergy['cumulative'] {
  return context.treatments.flatMap(({ id, runs }) => {
    const series = runs.map(({ runId }) => seriesOf(context, runId, kind)).filter(({ length }) => length > 0);
    const stepMs = 1000;
    const grid = gridSeries(series, stepMs);
    const from = grid.timesMs.findIndex((time) => time >= 0);
    if (from < 0) return [];
    const timesMs = grid.timesMs.slice(from);
    const values = grid.values.map((run) => {
      let total = 0;
      return run.slice(from).map((watts) => {
        if (watts === null) return null;
        total += (watts * stepMs) / 1000;
        return total;
      });
    });
    const averaged = averageGrid({ timesMs, values });
    return [{ treatment: id, timesMs, joules: averaged.mean, lo: averaged.lo, hi: averaged.hi }];
  });
}

function batteryOf(power: ReportEnergy['power'], toldMah: number | null): ReportEnergy['battery'] {
  const voltageV = mean(power.flatMap((entry) => entry.voltageV ?? []));
  if (voltageV === null || !(voltageV > 0)) return null;
  const own = { ...battery, capacityMAh: toldMah ?? battery.capacityMAh };
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

/** Of the first Run whose power was sampled each second long enough. */
function sensitivityOf(context: ReportContext, kind: SeriesKind): ReportEnergy['sensitivity'] {
  for (const { id, runs } of context.treatments) {
    for (const { runId } of runs) {
      const setUpMs = (context.dataOf(runId)?.phases ?? [])
        .filter(({ phase }) => setUpPhases.includes(phase))
        .reduce((total, { durationUs }) => total + durationUs / 1000, 0);
      const handshakeS = Math.max(1, Math.round(setUpMs / 1000));
      const samples = measuredSamples(seriesOf(context, runId, kind));
      if (samples.length < 2 * handshakeS + 10) continue;
      const found = energySensitivity({
        currentMA: samples,
        handshakeS,
        handshakeFactors: factors,
        loadFactors: factors,
      });
      if (!found) continue;
      return {
        treatment: id,
        handshakeS,
        cells: found.grid.map(({ handshakeFactor, loadFactor, relChange }) => ({
          handshakeFactor,
          loadFactor,
          relChange,
        })),
      };
    }
  }
  return null;
}
