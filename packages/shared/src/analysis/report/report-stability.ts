import { usualVolts } from '../../catalogue/metrics/energy.ts';
import type { ReportStability } from '../../domain/report/report-stability.ts';
import { mean } from '../../statistics/descriptive/summary.ts';
import { crossCorrelation } from '../../statistics/series/autocorrelation.ts';
import { energyMetric } from './energy-report.ts';
import type { ReportContext } from './report-input.ts';
import { short } from './series.ts';
import { cumulate, describeEmitterRuns, projectBattery, splitHandshake } from './stability-energy.ts';
import {
  chooseSampling,
  describeVariable,
  findVariable,
  type Sampling,
  sampleRuns,
  type Variable,
} from './stability-variables.ts';

/** As published: 120 s of 600 s. A shorter run is cut into as many segments. */
const publishedSegmentMs = 120_000;
const segments = 5;
const crossLags = 10;
/** Deep sleep of the published board, by its data sheet. */
const deepSleepMA = 0.01;
const boot = { blockLength: 20, replicates: 2000 };

/** Stability in time and from run to run; null where no counting Run has a series of the current. */
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
  const told = latency ? describeVariable(context, latency, { ...how, averaged: 1, stepMs: 1000 }) : null;
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
    variables: [...currents, ...(told ? [told] : [])],
    crossCorrelation: crossCorrelate(context, { emitter, receiver, sampling }),
    cumulative: cumulate(context, [emitter, receiver], sampling),
    ...describeEmitterRuns(context, emitter, sampling),
    handshake,
    ...life,
    missing: [
      ...(told ? [] : ['No run stored the latency of each second: its stability is not judged.']),
      ...(idle === null
        ? ['The idle current of the emitter is not known: sleep is that of a data sheet.']
        : []),
    ],
  };
}

function voltsOf(context: ReportContext): number {
  return mean(energyOf(context).flatMap(({ energy }) => energy.voltageV ?? [])) ?? usualVolts;
}

/** Of the runs whose energy counts. */
function energyOf(context: ReportContext) {
  const runs = context.treatmentsFor(energyMetric).flatMap((entry) => entry.runs);
  return runs.flatMap(({ runId }) => context.dataOf(runId)?.energy ?? []);
}

/** What the emitter drew before the load. */
function idleMA(context: ReportContext, volts: number): number | null {
  const watts = energyOf(context).flatMap(({ role, energy }) =>
    role === 'publisher' ? (energy.baselineW ?? []) : [],
  );
  const average = mean(watts);
  return average === null ? null : (average / volts) * 1000;
}

/** Of first differences, as published: what both devices do at the same time shows at lag 0. */
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
