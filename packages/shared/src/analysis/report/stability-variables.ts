import { metricOfSeries } from '../../catalogue/flags.ts';
import type {
  StabilityContrast,
  StabilityCurve,
  StabilitySummary,
  StabilityVariable,
} from '../../domain/report/report-stability.ts';
import { standardisedDifference } from '../../statistics/comparisons/effect-size.ts';
import {
  aggregateSamples,
  coefficientOfVariation,
  halfSampleMode,
  mean,
  quantiles,
  standardDeviation,
} from '../../statistics/descriptive/summary.ts';
import { estimateValues, minRuns } from '../estimate.ts';
import { compareSamples } from './bootstraps.ts';
import { memoryOf, minSamples } from './diagnostics.ts';
import type { ReportContext } from './report-input.ts';
import { measuredSamples, overheadAt, type SeriesKind, seriesKinds, seriesOf, short } from './series.ts';

/**
 * Minimum length in seconds for one value per second; for shorter runs, the device's own samples are used.
 */
const minSeconds = 60;
const secondMs = 1000;

/** A stored series with the conversion to the unit of the response. */
export interface Variable {
  id: string;
  role: string;
  label: string;
  unit: string;
  kind: SeriesKind;
  scale: number;
}

/** Evenly spaced samples from the measure phase of one run. */
interface RunSamples {
  runId: number;
  block: number;
  samples: number[];
}

export interface Sampling {
  stepMs: number;
  averaged: number;
}

/** Returns means over full seconds if a run is long enough, as published; otherwise the device's samples. */
export function chooseSampling({ plan }: ReportContext): Sampling {
  const sampledMs = secondMs / plan.sampleHz;
  const isLong = plan.workload.measureMs >= minSeconds * secondMs;
  const averaged = isLong ? plan.sampleHz : 1;
  return { stepMs: sampledMs * averaged, averaged };
}

/** Returns null if no such series is stored. */
export function findVariable(
  role: string,
  metric: string,
  words: Pick<Variable, 'id' | 'label' | 'unit' | 'scale'>,
): Variable | null {
  const kind = seriesKinds.find((one) => one.role === role && one.metric === metric);
  return kind ? { role, kind, ...words } : null;
}

/** A series with the number of samples per value. */
interface SampleChoice {
  variable: Variable;
  averaged: number;
}

/**
 * Returns samples of the measure phase for every counting run of a treatment; skips runs without the series.
 */
export function sampleRuns(context: ReportContext, treatmentId: string, choice: SampleChoice): RunSamples[] {
  const { kind, scale } = choice.variable;
  return samplesOf(context, treatmentId, choice, (runId) =>
    measuredSamples(seriesOf(context, runId, kind)).map((value) => value * scale),
  );
}

/**
 * Like `samplesOf`, but since the start of the connection, or of the measure phase if the start of the
 * connection is unknown.
 */
export function sampleRunsFromConnection(
  context: ReportContext,
  treatmentId: string,
  choice: SampleChoice,
): RunSamples[] {
  return samplesOf(context, treatmentId, choice, (runId) => {
    const fromMs = context.dataOf(runId)?.connectedAtMs ?? 0;
    const { timesMs, values } = wholeSeries(context, runId, choice.variable);
    return values.filter((_, index) => (timesMs[index] ?? -1) >= fromMs);
  });
}

function samplesOf(
  context: ReportContext,
  treatmentId: string,
  { variable, averaged }: SampleChoice,
  readRun: (runId: number) => number[],
): RunSamples[] {
  const treatments = context.treatmentsFor(metricOfSeries(variable.kind));
  const runs = treatments.find(({ id }) => id === treatmentId)?.runs ?? [];
  return runs.flatMap(({ runId, block }) => {
    const raw = readRun(runId);
    const samples = averaged > 1 ? (aggregateSamples(raw, averaged)?.bins ?? []) : raw;
    return samples.length > 0 ? [{ runId, block, samples }] : [];
  });
}

/** Returns all samples including the warm-up, to show start-up effects. */
export function wholeSeries(
  context: ReportContext,
  runId: number,
  { kind, scale }: Variable,
): { timesMs: number[]; values: number[] } {
  const [first] = seriesOf(context, runId, kind);
  const kept = (first?.values ?? []).flatMap((value, index) =>
    value === null ? [] : [{ value: value * scale, ms: first?.timesMs[index] ?? 0 }],
  );
  return { timesMs: kept.map(({ ms }) => ms), values: kept.map(({ value }) => value) };
}

/** As published. */
const maxLags = 60;
const testedLag = 20;
/** Maximum number of points in a figure; more points than pixels would only enlarge the document. */
const maxPoints = 300;

interface Describing extends Sampling {
  segmentMs: number;
}

/**
 * Analyses one response for every treatment: statistics, autocorrelation, differences from the baseline and
 * change over time.
 */
export function describeVariable(
  context: ReportContext,
  variable: Variable,
  how: Describing,
): StabilityVariable | null {
  const byTreatment = new Map(
    context.all.map(({ id }) => [id, sampleRuns(context, id, { variable, averaged: how.averaged })]),
  );
  const summaries = [...byTreatment].flatMap(([id, runs]) => summarise(id, runs, how) ?? []);
  if (summaries.length === 0) return null;
  const { id, role, label, unit } = variable;
  return {
    id,
    role,
    label,
    unit,
    summaries,
    contrasts: contrastsOf(context, byTreatment, { unit, pairs: againstBaseline(context) }),
    between: contrastsOf(context, byTreatment, { unit, pairs: tlsAgainstPayload(context) }),
    curves: context.all.flatMap(
      (one) =>
        curveOf(one.id, sampleRunsFromConnection(context, one.id, { variable, averaged: how.averaged }), {
          stepMs: how.stepMs,
          level: context.level,
        }) ?? [],
    ),
  };
}

function summarise(treatment: string, runs: readonly RunSamples[], how: Describing): StabilitySummary | null {
  const all = runs.flatMap(({ samples }) => samples);
  const [p25, median, p75] = quantiles(all, [0.25, 0.5, 0.75]) ?? [];
  const average = mean(all);
  if (average === null || p25 === undefined || median === undefined || p75 === undefined) return null;
  const perSegment = Math.max(1, Math.round(how.segmentMs / how.stepMs));
  const sd = standardDeviation(all);
  const ofSegments = runs.flatMap(({ samples }) => variation(segmentMeans(samples, perSegment)) ?? []);
  return {
    treatment,
    runs: runs.length,
    samples: all.length,
    mean: average,
    median,
    p25,
    p75,
    sd,
    max: all.reduce((max, value) => Math.max(max, value)),
    peaks: sd === null ? null : (100 * all.filter((value) => value > average + 3 * sd).length) / all.length,
    mode: halfSampleMode(all),
    cvRuns: variation(runs.flatMap(({ samples }) => mean(samples) ?? [])),
    cvSegments: mean(ofSegments),
    segmentCvs: ofSegments,
    memory: runs[0] ? memoryIn(runs[0]) : null,
  };
}

/** Returns the coefficient of variation in percent; null for fewer than two values. */
function variation(values: readonly number[]): number | null {
  const share = values.length < 2 ? null : coefficientOfVariation(values);
  return share === null ? null : share * 100;
}

/** Splits values into contiguous, complete segments. */
function segmentMeans(samples: readonly number[], length: number): number[] {
  return Array.from({ length: Math.floor(samples.length / length) }, (_, index) =>
    mean(samples.slice(index * length, (index + 1) * length)),
  ).filter((value) => value !== null);
}

function memoryIn({ runId, samples }: RunSamples): StabilitySummary['memory'] {
  if (samples.length < minSamples) return null;
  const tested = [Math.min(testedLag, Math.floor(samples.length / 2))];
  const { acf, adf, ljungBox, ...memory } = memoryOf(samples, { lags: maxLags, tested });
  if (acf === null) return null;
  const inside = acf.findIndex((value, lag) => lag > 0 && Math.abs(value) <= memory.band);
  const [box] = ljungBox;
  return {
    runId,
    ...memory,
    acf,
    firstInside: inside < 0 ? null : inside,
    ljungBox: box ? { lag: box.lag, statistic: box.q, p: box.p } : null,
    adf: adf && { statistic: adf.statistic, p: adf.pValue },
  };
}

type Pairs = readonly (readonly [treatment: string, baseline: string])[];

function againstBaseline({ all, baselineId }: ReportContext): Pairs {
  return all.flatMap(({ id }) => (id === baselineId ? [] : [[id, baselineId] as const]));
}

/** Compares each TLS-only treatment with each cipher-only treatment. */
function tlsAgainstPayload({ plan }: ReportContext): Pairs {
  const ciphers = plan.treatments.filter(({ spec }) => spec.security === 'plain' && spec.payloadCipher);
  const tls = plan.treatments.filter(({ spec }) => spec.security !== 'plain' && !spec.payloadCipher);
  return tls.flatMap((one) => ciphers.map((other) => [one.key, other.key] as const));
}

function contrastsOf(
  { plan, level }: ReportContext,
  byTreatment: ReadonlyMap<string, readonly RunSamples[]>,
  { unit, pairs }: { unit: string; pairs: Pairs },
): StabilityContrast[] {
  return pairs.flatMap(([treatment, baseline]) => {
    const [own, other] = [byTreatment.get(treatment) ?? [], byTreatment.get(baseline) ?? []];
    const compared = compareSamples(own, other, { seed: plan.seed, unit, level });
    if (!compared) return [];
    const { difference, published, runLevel, distribution } = compared;
    return [
      {
        treatment,
        baseline,
        difference,
        distribution,
        lo: published?.lo ?? null,
        hi: published?.hi ?? null,
        runLo: runLevel.lo,
        runHi: runLevel.hi,
        cohensD: standardisedDifference(allOf(own), allOf(other)).cohensD,
      },
    ];
  });
}

function allOf(runs: readonly RunSamples[]): number[] {
  return runs.flatMap(({ samples }) => samples);
}

/**
 * Returns the mean over runs at each sample with its t interval; averages neighbouring samples if there are
 * too many to draw.
 */
export function curveOf(
  treatment: string,
  runs: readonly RunSamples[],
  { stepMs, level }: { stepMs: number; level: number },
): StabilityCurve | null {
  const { bin, bins } = binsOf(runs);
  if (bins.length === 0) return null;
  return {
    treatment,
    ...columnsOf(
      bins.map((values) => spreadOf(values, level)),
      bin * stepMs,
    ),
  };
}

/** Returns the interval over runs; with fewer than three runs, the lowest and the highest run. */
function spreadOf(
  values: readonly number[],
  level: number,
): { value: number | null; lo: number | null; hi: number | null } {
  if (values.length >= minRuns) return estimateValues(values, { quantity: 'count', unit: '' }, level);
  const value = mean(values);
  if (values.length < 2) return { value, lo: null, hi: null };
  return { value, lo: Math.min(...values), hi: Math.max(...values) };
}

/** Returns the runs' means in each group of neighbouring samples. */
function binsOf(runs: readonly RunSamples[]): { bin: number; bins: number[][] } {
  // Stops at the end of the shortest run, because later means would cover other runs.
  const length = runs.length === 0 ? 0 : Math.min(...runs.map(({ samples }) => samples.length));
  const bin = Math.max(1, Math.ceil(length / maxPoints));
  return {
    bin,
    bins: Array.from({ length: Math.floor(length / bin) }, (_, index) =>
      runs.flatMap(({ samples }) => mean(samples.slice(index * bin, (index + 1) * bin)) ?? []),
    ),
  };
}

/** Returns the difference of each treatment from the baseline at the same time, in percent. */
export function overheadOf(
  { baselineId, level }: ReportContext,
  byTreatment: ReadonlyMap<string, readonly RunSamples[]>,
  stepMs: number,
): StabilityCurve[] {
  const base = binsOf(byTreatment.get(baselineId) ?? []).bins;
  return [...byTreatment].flatMap(([treatment, runs]) => {
    const { bin, bins } = binsOf(runs);
    const length = Math.min(bins.length, base.length);
    if (treatment === baselineId || length === 0) return [];
    const points = bins.slice(0, length).map((own, index) => overheadAt(own, base[index] ?? [], level));
    return [{ treatment, ...columnsOf(points, bin * stepMs) }];
  });
}

/** Returns points in the middle of their groups. */
function columnsOf(
  points: readonly { value: number | null; lo: number | null; hi: number | null }[],
  stretchMs: number,
): Omit<StabilityCurve, 'treatment'> {
  return {
    timesMs: points.map((_, index) => (index + 0.5) * stretchMs),
    mean: points.map(({ value }) => short(value)),
    lo: points.map(({ lo }) => short(lo)),
    hi: points.map(({ hi }) => short(hi)),
  };
}
