import type {
  ReportStability,
  StabilityBattery,
  StabilityHandshake,
  StabilitySensitivity,
} from '../../../domain/report/report-stability.ts';
import { setUpPhases } from '../../../domain/runs/phase.ts';
import { mean } from '../../../statistics/descriptive/summary.ts';
import { estimateBatteryLife } from '../../../statistics/energy/battery.ts';
import { findChangePoint } from '../../../statistics/series/change-point.ts';
import type { ReportContext } from '../report-input.ts';
import { curveOf } from './describe-variable.ts';
import { type Sampling, sampleRuns, type Variable, wholeSeries } from './sample-runs.ts';

/** As published. */
const handshakeFactors = [0.8, 0.9, 1, 1.1, 1.2];
const loadFactors = [0.8, 0.9, 1, 1.1, 1.2];
const duties = [1, 0.5, 0.1, 0.01];
const hourMs = 3_600_000;
/** A common pair of AA-sized lithium cells. */
const battery = { capacityMAh: 3000, usableFraction: 0.85 };
const significant = 0.05;

/** mAh since measuring began: each sample of the current times its length. */
export function cumulate(
  context: ReportContext,
  variables: readonly Variable[],
  { stepMs, averaged }: Sampling,
) {
  return variables.map((variable): ReportStability['cumulative'][number] => ({
    role: variable.role,
    curves: context.treatments.flatMap(({ id }) => {
      const runs = sampleRuns(context, id, { variable, averaged }).map(({ runId, block, samples }) => {
        let total = 0;
        return {
          runId,
          block,
          samples: samples.map((milliampere) => {
            total += (milliampere * stepMs) / hourMs;
            return total;
          }),
        };
      });
      return curveOf(id, runs, stepMs) ?? [];
    }),
  }));
}

/** Setting up and steady load apart, from the phases and from a step in the current itself. */
export function splitHandshake(
  context: ReportContext,
  emitter: Variable,
  volts: number,
): StabilityHandshake[] {
  return context.treatments.flatMap(({ id, runs }) => {
    const steadyMA = mean(
      sampleRuns(context, id, { variable: emitter, averaged: 1 }).flatMap(
        ({ samples }) => mean(samples) ?? [],
      ),
    );
    const setUps = runs.map(({ runId }) =>
      (context.dataOf(runId)?.phases ?? []).filter(({ phase }) => setUpPhases.includes(phase)),
    );
    const setUpMs = mean(
      setUps.map((records) => records.reduce((sum, { durationUs }) => sum + durationUs / 1000, 0)),
    );
    if (steadyMA === null || setUpMs === null) return [];
    const currents = setUps.flatMap((records) => {
      const joules = records.map(({ energyJ }) => energyJ);
      const seconds = records.reduce((sum, { durationUs }) => sum + durationUs / 1e6, 0);
      if (joules.length === 0 || joules.includes(null) || !(seconds > 0)) return [];
      return [(joules.reduce<number>((sum, value) => sum + (value ?? 0), 0) / seconds / volts) * 1000];
    });
    return [
      {
        treatment: id,
        runs: runs.length,
        setUpMs,
        steadyMA,
        setUpMA: mean(currents),
        change: runs[0] ? changeOf(context, runs[0].runId, emitter) : null,
      },
    ];
  });
}

function changeOf(context: ReportContext, runId: number, emitter: Variable): StabilityHandshake['change'] {
  const series = wholeSeries(context, runId, emitter);
  const values = series?.values.filter((value) => value !== null) ?? [];
  const found = findChangePoint(values);
  if (!series || !found || found.p >= significant) return null;
  return {
    atMs: series.timesMs[found.index] ?? 0,
    before: found.meanBefore,
    after: found.meanAfter,
    p: found.p,
  };
}

/** Charge of a whole run, (I_hs h f + l I_ss (T - h f)) / 3600, against both factors at 1. */
export function judgeSensitivity(
  { plan }: ReportContext,
  handshakes: readonly StabilityHandshake[],
): StabilitySensitivity[] {
  return handshakes.map(({ treatment, setUpMs, setUpMA, steadyMA }) => {
    const setUpS = setUpMs / 1000;
    const totalS = setUpS + (plan.workload.warmUpMs + plan.workload.measureMs) / 1000;
    // Where nobody told the energy of setting up, it is taken to draw what the load draws.
    const handshakeMA = setUpMA ?? steadyMA;
    const charge = (f: number, l: number) =>
      (handshakeMA * setUpS * f + l * steadyMA * (totalS - setUpS * f)) / 3600;
    const mAh = charge(1, 1);
    const percent = (value: number) => (mAh > 0 ? (value / mAh - 1) * 100 : 0);
    return {
      treatment,
      mAh,
      byHandshake: handshakeFactors.map((factor) => ({ factor, percent: percent(charge(factor, 1)) })),
      byLoad: loadFactors.map((factor) => ({ factor, percent: percent(charge(1, factor)) })),
    };
  });
}

/** Life of a battery where the device works for a share of the time and sleeps for the rest, baseline = 12 months. */
export function projectBattery(
  handshakes: readonly StabilityHandshake[],
  { baseline, sleepMA }: { baseline: string; sleepMA: readonly number[] },
): { capacityMAh: number; battery: StabilityBattery[] } {
  const lives = sleepMA.flatMap((sleep) =>
    duties
      // Always at work it never sleeps: once is enough.
      .filter((duty) => duty < 1 || sleep === sleepMA[0])
      .map((duty) => {
        const rows = handshakes.map(({ treatment, steadyMA }) => ({
          treatment,
          life: estimateBatteryLife({ ...battery, activeMA: steadyMA, sleepMA: sleep, duty }),
        }));
        const plain = rows.find(({ treatment }) => treatment === baseline)?.life.hours ?? null;
        return {
          duty,
          sleepMA: sleep,
          rows: rows.map(({ treatment, life }) => ({
            treatment,
            averageMA: life.avgMA,
            days: life.days,
            monthsOfTwelve: plain === null || life.hours === null ? null : (12 * life.hours) / plain,
          })),
        };
      }),
  );
  return { capacityMAh: battery.capacityMAh * battery.usableFraction, battery: lives };
}
