import { usualVolts } from '../../catalogue/metrics/energy.ts';
import type {
  ReportStability,
  StabilityBattery,
  StabilityEmitterRun,
  StabilityHandshake,
} from '../../domain/report/report-stability.ts';
import { mean } from '../../statistics/descriptive/summary.ts';
import { estimateBatteryLife } from '../../statistics/energy/battery.ts';
import { crossCorrelation } from '../../statistics/series/autocorrelation.ts';
import { findChangePoint } from '../../statistics/series/change-point.ts';
import type { SetUp } from './add-up-runs.ts';
import { energyMetric, usualBattery } from './energy-report.ts';
import type { ReportContext } from './report-input.ts';
import { short } from './series.ts';
import {
  chooseSampling,
  curveOf,
  describeVariable,
  findVariable,
  overheadOf,
  type Sampling,
  sampleRuns,
  sampleRunsFromConnection,
  type Variable,
  wholeSeries,
} from './stability-variables.ts';

/** As published: 120 s of 600 s. Shorter runs are divided into the same number of segments. */
const publishedSegmentMs = 120_000;
const segments = 5;
const crossLags = 10;
/** Deep-sleep current of the published board, from its data sheet. */
const deepSleepMA = 0.01;
const boot = { blockLength: 20, replicates: 2000 };

/** Calculates stability over time and between runs; null if no counting run has a current series. */
export function reportStability(context: ReportContext): ReportStability | null {
  const volts = voltsOf(context);
  const inMA = { unit: 'mA', scale: 1000 / volts };
  const emitter = findVariable('publisher', 'energy.power', {
    id: 'current.publisher',
    label: 'Current, emitter',
    ...inMA,
  });
  const receiver = findVariable('subscriber', 'energy.power', {
    id: 'current.subscriber',
    label: 'Current, receiver',
    ...inMA,
  });
  const latency = findVariable('subscriber', 'latency.p50', {
    id: 'latency',
    label: 'Latency, median of each second',
    unit: 'ms',
    scale: 1,
  });
  if (!emitter || !receiver) return null;
  const sampling = chooseSampling(context);
  const segmentMs = Math.min(publishedSegmentMs, context.plan.workload.measureMs / segments);
  const how = { ...sampling, segmentMs };
  const currents = [emitter, receiver].flatMap((one) => describeVariable(context, one, how) ?? []);
  if (currents.length === 0) return null;
  const latencyVariable = latency
    ? describeVariable(context, latency, { ...how, averaged: 1, stepMs: 1000 })
    : null;
  const handshake = splitHandshake(context, emitter, volts);
  const idle = idleMA(context, volts);
  const life = projectBattery(handshake, {
    baseline: context.baselineId,
    sleepMA: [...(idle === null ? [] : [idle]), deepSleepMA],
  });
  return {
    ...sampling,
    segmentMs,
    ...boot,
    isOneMachine: context.plan.treatments.every(({ spec }) => spec.link === 'lo'),
    volts,
    variables: [...currents, ...(latencyVariable ? [latencyVariable] : [])],
    crossCorrelation: crossCorrelate(context, { emitter, receiver, sampling }),
    cumulative: cumulate(context, [emitter, receiver], sampling),
    ...describeEmitterRuns(context, emitter, sampling),
    handshake,
    ...life,
    missing: [
      ...(latencyVariable ? [] : ['No run stored the latency per second, so its stability is not judged.']),
      ...(idle === null
        ? ['The emitter’s idle current is unknown, so the sleep current is taken from a data sheet.']
        : []),
    ],
  };
}

function voltsOf(context: ReportContext): number {
  return mean(energyOf(context).flatMap(({ energy }) => energy.voltageV ?? [])) ?? usualVolts;
}

/** Returns the energy of the runs whose energy counts. */
function energyOf(context: ReportContext) {
  const runs = context.treatmentsFor(energyMetric).flatMap((entry) => entry.runs);
  return runs.flatMap(({ runId }) => context.dataOf(runId)?.energy ?? []);
}

/** Returns the emitter's current before the load. */
function idleMA(context: ReportContext, volts: number): number | null {
  const watts = energyOf(context).flatMap(({ role, energy }) =>
    role === 'publisher' ? (energy.baselineW ?? []) : [],
  );
  const average = mean(watts);
  return average === null ? null : (average / volts) * 1000;
}

/**
 * Returns the cross-correlation of first differences, as published: simultaneous changes on both devices
 * appear at lag 0.
 */
function crossCorrelate(
  context: ReportContext,
  { emitter, receiver, sampling }: { emitter: Variable; receiver: Variable; sampling: Sampling },
): ReportStability['crossCorrelation'] {
  return context.all.flatMap(({ id }) => {
    const { averaged } = sampling;
    const [own] = sampleRuns(context, id, { variable: emitter, averaged });
    const other = sampleRuns(context, id, { variable: receiver, averaged }).find(
      ({ runId }) => runId === own?.runId,
    );
    if (!own || !other) return [];
    const length = Math.min(own.samples.length, other.samples.length);
    if (length < 2 * crossLags + 2) return [];
    const found = crossCorrelation(
      differences(own.samples.slice(0, length)),
      differences(other.samples.slice(0, length)),
      crossLags,
    );
    if (!found) return [];
    return [
      {
        treatment: id,
        runId: own.runId,
        band: found.band95,
        strongest: found.strongest,
        lags: found.lags.map(({ lag, r }) => ({ lag, r: short(r) ?? 0 })),
      },
    ];
  });
}

function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, index) => value - (values[index] ?? 0));
}

/** As published. */
const duties = [1, 0.5, 0.1, 0.01];
const hourMs = 3_600_000;
const significant = 0.05;
const noSetUp: SetUp = { seconds: 0, joules: null };

/** Returns the charge in mAh since the start of the connection: each current sample times its duration. */
function cumulate(context: ReportContext, variables: readonly Variable[], { stepMs, averaged }: Sampling) {
  return variables.map((variable): ReportStability['cumulative'][number] => ({
    role: variable.role,
    ...energyCurves(context, variable, { stepMs, averaged }),
  }));
}

function energyCurves(context: ReportContext, variable: Variable, { stepMs, averaged }: Sampling) {
  const byTreatment = new Map(
    context.all.map(({ id }) => {
      const runs = sampleRunsFromConnection(context, id, { variable, averaged }).map(
        ({ samples, ...run }) => {
          let total = 0;
          return { ...run, samples: samples.map((mA) => (total += (mA * stepMs) / hourMs)) };
        },
      );
      return [id, runs];
    }),
  );
  return {
    curves: [...byTreatment].flatMap(
      ([id, runs]) => curveOf(id, runs, { stepMs, level: context.level }) ?? [],
    ),
    overhead: overheadOf(context, byTreatment, stepMs),
  };
}

/** Separates set-up from steady load, by the phases and by a step in the current. */
function splitHandshake(context: ReportContext, emitter: Variable, volts: number): StabilityHandshake[] {
  return context.treatmentsFor(energyMetric).flatMap(({ id, runs }) => {
    const steadyMA = mean(
      sampleRuns(context, id, { variable: emitter, averaged: 1 }).flatMap(
        ({ samples }) => mean(samples) ?? [],
      ),
    );
    const setUps = runs.map(({ runId }) => context.dataOf(runId)?.setUp ?? noSetUp);
    const setUpMs = mean(setUps.map(({ seconds }) => seconds * 1000));
    if (steadyMA === null || setUpMs === null) return [];
    const currents = setUps.flatMap(({ seconds, joules }) =>
      joules === null || !(seconds > 0) ? [] : [(joules / seconds / volts) * 1000],
    );
    const change = runs[0] ? changeOf(context, runs[0].runId, emitter) : null;
    return [{ treatment: id, runs: runs.length, setUpMs, steadyMA, setUpMA: mean(currents), change }];
  });
}

/** Share of the run that is searched for the handshake, as published: 20 s of 600 s. */
const publishedEarlyMs = 20_000;
const earlyShare = 30;

/**
 * Returns the emitter's runs that count, from the start of the connection, so that the handshake is included.
 */
function describeEmitterRuns(
  context: ReportContext,
  emitter: Variable,
  { stepMs, averaged }: Sampling,
): { earlyMs: number; emitterRuns: StabilityEmitterRun[] } {
  const { workload } = context.plan;
  const earlyMs = Math.min(publishedEarlyMs, (workload.warmUpMs + workload.measureMs) / earlyShare);
  const emitterRuns = context.all.flatMap(({ id }) => {
    const steady = sampleRuns(context, id, { variable: emitter, averaged });
    return sampleRunsFromConnection(context, id, { variable: emitter, averaged }).flatMap(
      ({ runId, block, samples }): StabilityEmitterRun[] => {
        const steadyMA = mean(steady.find((run) => run.runId === runId)?.samples ?? []);
        const early = samples.slice(0, Math.max(1, Math.round(earlyMs / stepMs)));
        const earlyMA = mean(early);
        if (steadyMA === null || earlyMA === null) return [];
        const { seconds: setUpS, joules } = context.dataOf(runId)?.setUp ?? noSetUp;
        const chargeOf = (values: readonly number[]) =>
          values.reduce((total, mA) => total + (mA * stepMs) / hourMs, 0);
        const volts = 1000 / emitter.scale;
        return [
          {
            treatment: id,
            runId,
            block,
            setUpS,
            setUpMA: joules === null || !(setUpS > 0) ? null : (joules / setUpS / volts) * 1000,
            earlyMA,
            steadyMA,
            earlyMAh: chargeOf(early),
            mAh: chargeOf(samples),
          },
        ];
      },
    );
  });
  return { earlyMs, emitterRuns };
}

/** Returns the most likely step in the current since the start of the connection. */
function changeOf(context: ReportContext, runId: number, emitter: Variable): StabilityHandshake['change'] {
  const whole = wholeSeries(context, runId, emitter);
  const fromMs = context.dataOf(runId)?.connectedAtMs ?? whole.timesMs[0] ?? 0;
  const first = whole.timesMs.findIndex((ms) => ms >= fromMs);
  const timesMs = whole.timesMs.slice(Math.max(0, first)).map((ms) => ms - fromMs);
  const values = whole.values.slice(Math.max(0, first));
  const found = findChangePoint(values);
  if (!found || found.p >= significant) return null;
  const { index, meanBefore: before, meanAfter: after, p } = found;
  return { atMs: timesMs[index] ?? 0, before, after, p };
}

/** Returns the battery life at a duty cycle between work and sleep, with the baseline at 12 months. */
function projectBattery(
  handshakes: readonly StabilityHandshake[],
  { baseline, sleepMA }: { baseline: string; sleepMA: readonly number[] },
): { capacityMAh: number; battery: StabilityBattery[] } {
  const lives = sleepMA.flatMap((sleep) =>
    duties
      // The battery life of a device that never sleeps does not depend on the sleep current.
      .filter((duty) => duty < 1 || sleep === sleepMA[0])
      .map((duty) => {
        const rows = handshakes.map(({ treatment, steadyMA }) => ({
          treatment,
          life: estimateBatteryLife({ ...usualBattery, activeMA: steadyMA, sleepMA: sleep, duty }),
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
  return { capacityMAh: usualBattery.capacityMAh * usualBattery.usableFraction, battery: lives };
}
