import type {
  StabilityContrast,
  StabilityCurve,
  StabilitySummary,
  StabilityVariable,
} from '../../../domain/report/report-stability.ts';
import { standardisedDifference } from '../../../statistics/comparisons/effect-size.ts';
import { independentRatio } from '../../../statistics/comparisons/ratio.ts';
import {
  coefficientOfVariation,
  halfSampleMode,
  mean,
  quantiles,
  standardDeviation,
} from '../../../statistics/descriptive/summary.ts';
import { augmentedDickeyFuller } from '../../../statistics/series/adf.ts';
import {
  autocorrelation,
  ljungBox,
  partialAutocorrelation,
  whiteNoiseBand95,
} from '../../../statistics/series/autocorrelation.ts';
import { estimateValues, minRuns } from '../../estimate.ts';
import { compareSamples } from '../bootstraps.ts';
import type { ReportContext } from '../report-input.ts';
import { type RunSamples, type Sampling, sampleRuns, type Variable } from './sample-runs.ts';

/** As published. */
const maxLags = 60;
const testedLag = 20;
/** Fewer samples say too little about memory and stationarity. */
const minForMemory = 50;
/** More points than a figure has pixels only make the document long. */
const maxPoints = 300;

export interface Describing extends Sampling {
  segmentMs: number;
}

/** One response of every Treatment: figures, memory, differences from the baseline and course in time. */
export function describeVariable(
  context: ReportContext,
  variable: Variable,
  how: Describing,
): StabilityVariable | null {
  const byTreatment = new Map(
    context.treatments.map(({ id }) => [id, sampleRuns(context, id, { variable, averaged: how.averaged })]),
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
    contrasts: contrastsOf(context, byTreatment, unit),
    curves: [...byTreatment].flatMap(([treatment, runs]) => curveOf(treatment, runs, how.stepMs) ?? []),
    overhead: overheadOf(context, byTreatment, how.stepMs),
  };
}

function summarise(treatment: string, runs: readonly RunSamples[], how: Describing): StabilitySummary | null {
  const all = runs.flatMap(({ samples }) => samples);
  const [p25, median, p75] = quantiles(all, [0.25, 0.5, 0.75]) ?? [];
  const average = mean(all);
  if (average === null || p25 === undefined || median === undefined || p75 === undefined) return null;
  const perSegment = Math.max(1, Math.round(how.segmentMs / how.stepMs));
  const ofSegments = runs.flatMap(({ samples }) => variation(segmentMeans(samples, perSegment)) ?? []);
  return {
    treatment,
    runs: runs.length,
    samples: all.length,
    mean: average,
    median,
    p25,
    p75,
    sd: standardDeviation(all),
    mode: halfSampleMode(all),
    cvRuns: variation(runs.flatMap(({ samples }) => mean(samples) ?? [])),
    cvSegments: mean(ofSegments),
    memory: runs[0] ? memoryOf(runs[0]) : null,
  };
}

/** Percent; null below two values. */
function variation(values: readonly number[]): number | null {
  const share = values.length < 2 ? null : coefficientOfVariation(values);
  return share === null ? null : share * 100;
}

/** Contiguous, whole segments only. */
function segmentMeans(samples: readonly number[], length: number): number[] {
  return Array.from({ length: Math.floor(samples.length / length) }, (_, index) =>
    mean(samples.slice(index * length, (index + 1) * length)),
  ).filter((value) => value !== null);
}

function memoryOf({ runId, samples }: RunSamples): StabilitySummary['memory'] {
  const n = samples.length;
  if (n < minForMemory) return null;
  const lags = Math.min(maxLags, Math.floor(n / 2));
  const acf = autocorrelation(samples, lags);
  if (acf === null) return null;
  const band = whiteNoiseBand95(n);
  const box = ljungBox(samples, Math.min(testedLag, lags));
  const adf = augmentedDickeyFuller(samples);
  const inside = acf.findIndex((value, lag) => lag > 0 && Math.abs(value) <= band);
  return {
    runId,
    n,
    acf,
    band,
    pacf: partialAutocorrelation(samples, lags) ?? [],
    firstInside: inside < 0 ? null : inside,
    ljungBox: box && { lag: box.lag, statistic: box.q, p: box.p },
    adf: adf && { statistic: adf.statistic, p: adf.pValue },
  };
}

function contrastsOf(
  { treatments, baselineId, plan }: ReportContext,
  byTreatment: ReadonlyMap<string, readonly RunSamples[]>,
  unit: string,
): StabilityContrast[] {
  const samplesOf = (id: string) => byTreatment.get(id) ?? [];
  return treatments.flatMap((treatment) => {
    if (treatment.id === baselineId) return [];
    const [own, other] = [samplesOf(treatment.id), samplesOf(baselineId)];
    const compared = compareSamples(own, other, { seed: plan.seed, unit });
    if (!compared) return [];
    const { difference, published, runLevel, distribution } = compared;
    return [
      {
        treatment: treatment.id,
        baseline: baselineId,
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

/** Mean across runs at each sample, with its t interval; neighbours are averaged where there are too many to draw. */
export function curveOf(
  treatment: string,
  runs: readonly RunSamples[],
  stepMs: number,
): StabilityCurve | null {
  const { bin, bins } = binsOf(runs);
  if (bins.length === 0) return null;
  const points = bins.map(spreadOf);
  return {
    treatment,
    timesMs: points.map((_, index) => (index + 0.5) * bin * stepMs),
    mean: points.map((point) => short(point.mean)),
    lo: points.map((point) => short(point.lo)),
    hi: points.map((point) => short(point.hi)),
  };
}

/** The interval over runs; below three of them the lowest and the highest run, for an interval would say nothing. */
function spreadOf(values: readonly number[]): { mean: number | null; lo: number | null; hi: number | null } {
  if (values.length >= minRuns) {
    const { value, lo, hi } = estimateValues(values, { quantity: 'count', unit: '' });
    return { mean: value, lo, hi };
  }
  const average = mean(values);
  if (average === null || values.length < 2) return { mean: average, lo: null, hi: null };
  return { mean: average, lo: Math.min(...values), hi: Math.max(...values) };
}

/** Means of the runs in each stretch of neighbouring samples. */
function binsOf(runs: readonly RunSamples[]): { bin: number; bins: number[][] } {
  // Where the shortest run ends the mean would be one of other runs.
  const length = runs.length === 0 ? 0 : Math.min(...runs.map(({ samples }) => samples.length));
  const bin = Math.max(1, Math.ceil(length / maxPoints));
  return {
    bin,
    bins: Array.from({ length: Math.floor(length / bin) }, (_, index) =>
      runs.flatMap(({ samples }) => mean(samples.slice(index * bin, (index + 1) * bin)) ?? []),
    ),
  };
}

function overheadOf(
  { baselineId }: ReportContext,
  byTreatment: ReadonlyMap<string, readonly RunSamples[]>,
  stepMs: number,
): StabilityCurve[] {
  const base = binsOf(byTreatment.get(baselineId) ?? []).bins;
  return [...byTreatment].flatMap(([treatment, runs]) => {
    const { bin, bins } = binsOf(runs);
    const length = Math.min(bins.length, base.length);
    if (treatment === baselineId || length === 0) return [];
    const points = bins.slice(0, length).map((own, index) => relative(own, base[index] ?? []));
    const percent = (ratio: number | null) => short(ratio === null ? null : (ratio - 1) * 100);
    return [
      {
        treatment,
        timesMs: points.map((_, index) => (index + 0.5) * bin * stepMs),
        mean: points.map(({ ratio }) => percent(ratio)),
        lo: points.map(({ lo }) => percent(lo)),
        hi: points.map(({ hi }) => percent(hi)),
      },
    ];
  });
}

function relative(own: readonly number[], base: readonly number[]) {
  const interval = Math.min(own.length, base.length) < minRuns ? null : independentRatio(own, base);
  if (interval) return interval;
  const [top, bottom] = [mean(own), mean(base)];
  return { ratio: top !== null && bottom !== null && bottom > 0 ? top / bottom : null, lo: null, hi: null };
}

/** Six digits are more than any figure shows; full ones would double the document. */
export function short(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(6));
}
