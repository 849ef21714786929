import { isForeign } from '../catalogue/factors/foreign-treatment.ts';
import { isFlaggedFor } from '../catalogue/flags.ts';
import type { Plan } from '../domain/plans/plan.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import type { ContrastOutcome, MetricDefinition } from '../domain/runs/verdict.ts';
import { plural } from '../format/number.ts';
import { standardisedDifference } from '../statistics/comparisons/effect-size.ts';
import { adjustHolm } from '../statistics/comparisons/multiple-testing.ts';
import { independentRatio, pairedRatio } from '../statistics/comparisons/ratio.ts';
import { pairedTest, welchTest } from '../statistics/comparisons/t-test.ts';
import { mean } from '../statistics/descriptive/summary.ts';
import { type Estimate, estimateValues, isOnLogScale, minRuns, usualLevel } from './estimate.ts';
import { differingBases, type RunValue, runValues } from './run-values.ts';

export interface TreatmentEstimate {
  treatment: ComparedTreatment;
  values: RunValue[];
  estimate: Estimate;
}

export interface Contrast {
  treatment: ComparedTreatment;
  baseline: ComparedTreatment;
  /** Positive quantities are compared by their ratio, all others by their difference in the metric's unit. */
  scale: 'ratio' | 'difference';
  /** Treatment divided by baseline, or their difference; null if a side has no value or the bases differ. */
  value: number | null;
  /** 95 % interval of `value`; null if there are fewer than three runs or nothing varies. */
  lo: number | null;
  hi: number | null;
  /** Difference between the two centres in the metric's unit, over the compared runs; has no interval. */
  inUnits: number | null;
  hedgesG: number | null;
  /** Holm-adjusted p-value over all contrasts of this call; null without an interval. */
  p: number | null;
  /** p-value before Holm. */
  pAlone: number | null;
  outcome: ContrastOutcome;
  method: 'paired by repetition' | 'Welch';
  /** Number of compared runs: pairs, or runs on the smaller side. */
  runs: number;
  /** Runs on either side without a partner in their repetition. */
  unpaired: number;
  /** The compared values; if paired, in the order of pairs. */
  values: { treatment: readonly number[]; baseline: readonly number[] };
  /** Number of sides whose runs are all flagged for the metric. */
  flaggedSides: number;
  /** The bases of the two sides if they differ; such sides are not compared. */
  bases: string[];
}

export interface Choice {
  metric: MetricDefinition;
  /** Includes runs with a failed verdict. */
  flagged: boolean;
}

export interface ContrastQuestion extends Choice {
  treatments: readonly ComparedTreatment[];
  baselineId: string;
  /** Explicit pairs: treatment and the treatment it is compared with. */
  pairs?: readonly (readonly [ComparedTreatment, ComparedTreatment])[] | undefined;
}

type BlockValue = Pick<RunValue, 'block' | 'value'>;

/** A difference is resolved if the Holm-adjusted p-value is below this level. */
export const alpha = 0.05;

export function estimateTreatments(
  treatments: readonly ComparedTreatment[],
  { metric, flagged }: Choice,
): TreatmentEstimate[] {
  return treatments.map((treatment) => {
    const values = runValues(treatment, { metric: metric.id, flagged });
    // Values with different bases have no mean.
    const alike = differingBases(values).length === 0 ? values.map(({ value }) => value) : [];
    return { treatment, values, estimate: estimateValues(alike, metric, treatment.level) };
  });
}

/**
 * Returns the treatment with which this one is compared; null for a baseline. Within the experiment of the
 * chosen baseline, this is the treatment with the baseline's colour levels and the same other levels
 * (`rowLabel`). A treatment from another experiment is compared with its twin in the baseline's experiment:
 * the treatment with the same level of every factor (before and after, original and replication). A treatment
 * without a twin is compared within its own experiment, or with the baseline's experiment if its own has no
 * such treatment.
 */
export function baselineOf<T extends Pick<ComparedTreatment, 'id' | 'experimentId' | 'treatment'>>(
  treatment: T,
  treatments: readonly T[],
  baselineId: string,
): T | null {
  const chosen = treatments.find((entry) => entry.id === baselineId) ?? treatments[0];
  if (!chosen || treatment.id === chosen.id) return null;
  const isOwnExperiment = treatment.experimentId === chosen.experimentId;
  const atBaseline = treatments.filter(({ experimentId }) => experimentId === chosen.experimentId);
  const twin = isOwnExperiment
    ? undefined
    : atBaseline.find((entry) => entry.treatment.key === treatment.treatment.key);
  if (twin) return twin;
  const { colourLabel, rowLabel } = treatment.treatment;
  const candidates = treatments.filter(
    (entry) =>
      entry.id !== treatment.id &&
      entry.treatment.colourLabel === chosen.treatment.colourLabel &&
      entry.treatment.rowLabel === rowLabel,
  );
  const inBaselineExperiment = candidates.find(({ experimentId }) => experimentId === chosen.experimentId);
  if (colourLabel === chosen.treatment.colourLabel) {
    if (isOwnExperiment) return null;
    return inBaselineExperiment ?? (rowLabel === '' ? chosen : null);
  }
  const inOwnExperiment = candidates.find(({ experimentId }) => experimentId === treatment.experimentId);
  return inOwnExperiment ?? inBaselineExperiment ?? candidates[0] ?? chosen;
}

/** Returns the number of contrasts in the analysis of a plan: the family that Holm's method adjusts for. */
export function countPlannedContrasts({ treatments, baselineKey }: Pick<Plan, 'treatments' | 'baselineKey'>) {
  const planned = treatments.map((treatment) => ({ id: treatment.key, experimentId: 0, treatment }));
  return planned.filter((one) => baselineOf(one, planned, baselineKey) !== null).length;
}

/** Describes the family over which p-values are Holm-adjusted; it contains only tested contrasts. */
export function holmNote(family: readonly { p: number | null }[], noun = 'contrast'): string {
  const tested = family.filter(({ p }) => p !== null).length;
  return tested === 0 ? `no ${noun} was tested` : `Holm-adjusted p over ${plural(tested, `tested ${noun}`)}`;
}

/** Compares every treatment with its baseline; p-values are Holm-adjusted over this family. */
export function contrastTreatments(question: ContrastQuestion): Contrast[] {
  const raw = pairsOf(question).map((pair) => contrast(pair, question));
  const tested = raw.filter(({ p }) => p !== null);
  const adjusted = adjustHolm(tested.map(({ p }) => p ?? 1));
  return raw.map((entry) => {
    const index = tested.indexOf(entry);
    if (index === -1) return entry;
    const p = adjusted[index] ?? null;
    return { ...entry, p, outcome: outcomeOf({ ...entry, p }) };
  });
}

function pairsOf({
  treatments,
  baselineId,
  pairs,
}: ContrastQuestion): NonNullable<ContrastQuestion['pairs']> {
  if (pairs) return pairs;
  return treatments.flatMap((treatment) => {
    const baseline = baselineOf(treatment, treatments, baselineId);
    return baseline ? [[treatment, baseline] as const] : [];
  });
}

function contrast(
  [treatment, baseline]: readonly [ComparedTreatment, ComparedTreatment],
  { metric, flagged }: Choice,
): Contrast {
  const choice = { metric: metric.id, flagged };
  const all = [runValues(treatment, choice), runValues(baseline, choice)] as const;
  const bases = differingBases(all.flat());
  // For measurements from another tool, it is unknown whether repetitions were blocks.
  const isOneDesign =
    treatment.experimentId === baseline.experimentId && !isForeign(treatment.treatment.levels);
  const { isPaired, a, b } = match(isOneDesign, all);
  const runs = Math.min(a.length, b.length);
  const scale = isOnLogScale(metric, [...a, ...b]) ? 'ratio' : 'difference';
  const side = {
    treatment,
    baseline,
    scale,
    runs,
    unpaired: isPaired ? all[0].length + all[1].length - 2 * runs : 0,
    method: isPaired ? 'paired by repetition' : 'Welch',
    values: { treatment: a, baseline: b },
    bases,
    flaggedSides: [treatment, baseline].filter((one) => one.runs.every((run) => isFlaggedFor(run, metric)))
      .length,
  } as const;
  if (bases.length > 0) return { ...side, ...nothing, outcome: 'not comparable' };
  const centres = [estimateValues(a, metric).value, estimateValues(b, metric).value] as const;
  if (centres[0] === null || centres[1] === null) return { ...side, ...nothing, outcome: 'not measured' };
  const level = Math.max(treatment.level ?? usualLevel, baseline.level ?? usualLevel);
  const step = stepOn(scale, all.flat());
  const test = testOf([a, b], { scale, isPaired, level, step });
  const plain = scale === 'ratio' ? centres[0] / centres[1] : centres[0] - centres[1];
  const isSame = runs >= 2 && [...a, ...b].every((value) => areSame(value, centres[0]));
  const isExact = test !== null && (isSame || test.p === null);
  const hasInterval = test !== null && !isExact && runs >= minRuns;
  const found: Contrast = {
    ...side,
    value: isSame ? plain : (test?.value ?? plain),
    lo: hasInterval ? test.lo : null,
    hi: hasInterval ? test.hi : null,
    inUnits: centres[0] - centres[1],
    hedgesG: hasInterval ? standardisedDifference(a, b).hedgesG : null,
    p: hasInterval ? test.p : null,
    pAlone: hasInterval ? test.p : null,
    outcome: 'few',
  };
  return {
    ...found,
    outcome: isExact ? (areSame(centres[0], centres[1]) ? 'same' : 'exact') : outcomeOf(found),
  };
}

/** True if two values differ only by double-precision rounding. */
function areSame(a: number, b: number | null): boolean {
  return b !== null && Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
}

/**
 * Returns the mean resolution of the values on the contrast's scale: logarithmic, or in the metric's unit.
 */
function stepOn(scale: Contrast['scale'], values: readonly Pick<RunValue, 'value' | 'step'>[]): number {
  return mean(values.map(({ value, step }) => (scale === 'ratio' ? step / value : step))) ?? 0;
}

const nothing = {
  value: null,
  lo: null,
  hi: null,
  inUnits: null,
  hedgesG: null,
  p: null,
  pAlone: null,
} as const;

/**
 * Pairs runs of one experiment by repetition. Leaves them unpaired if both sides have
 * at least three runs, but fewer than three repetitions in common.
 */
export function match(
  isOneDesign: boolean,
  [a, b]: readonly [readonly BlockValue[], readonly BlockValue[]],
): { isPaired: boolean; a: number[]; b: number[] } {
  const others = new Map(b.map((entry) => [entry.block, entry.value]));
  const common = isOneDesign ? a.filter(({ block }) => others.has(block)) : [];
  const valuesOf = (entries: readonly BlockValue[]) => entries.map(({ value }) => value);
  const isWasteful = common.length < minRuns && Math.min(a.length, b.length) >= minRuns;
  if (common.length === 0 || isWasteful) return { isPaired: false, a: valuesOf(a), b: valuesOf(b) };
  return {
    isPaired: true,
    a: valuesOf(common),
    b: common.map(({ block }) => others.get(block) ?? Number.NaN),
  };
}

const pairing = `paired by repetition if at least ${minRuns} repetitions have both treatments`;

/** Describes the methods that these contrasts used, for example "Welch’s t interval". */
export function comparisonRule(contrasts: readonly { method: string }[]): string {
  const used = new Set(contrasts.map(({ method }) => method));
  const isPaired = used.has('paired by repetition');
  if (isPaired && used.has('Welch')) return `the t interval ${pairing}, otherwise Welch’s t interval`;
  return isPaired ? 'the t interval paired by repetition' : 'Welch’s t interval for independent runs';
}

interface Tested {
  value: number;
  lo: number | null;
  hi: number | null;
  /** null if the metric is exact and does not vary. */
  p: number | null;
}

/** Returns null if a side has fewer than two values. */
function testOf(
  [a, b]: readonly [readonly number[], readonly number[]],
  {
    scale,
    isPaired,
    level,
    step,
  }: { scale: Contrast['scale']; isPaired: boolean; level: number; step: number },
): Tested | null {
  if (Math.min(a.length, b.length) < 2) return null;
  if (scale === 'ratio') {
    const found = isPaired ? pairedRatio(a, b, level, step) : independentRatio(a, b, level, step);
    return found && { ...found, value: found.ratio };
  }
  const found = isPaired ? pairedTest(a, b, level, step) : welchTest(a, b, level, step);
  if (found) return { ...found, value: found.meanDiff };
  return { value: (mean(a) ?? Number.NaN) - (mean(b) ?? Number.NaN), lo: null, hi: null, p: null };
}

/** Rule of `outcomeOf`, in words. */
export const resolvedRule = `the interval excludes equality and the Holm-adjusted p-value is below ${alpha}`;

function outcomeOf({ scale, lo, hi, p }: Pick<Contrast, 'scale' | 'lo' | 'hi' | 'p'>): ContrastOutcome {
  if (lo === null || hi === null || p === null) return 'few';
  const equal = scale === 'ratio' ? 1 : 0;
  if (lo <= equal && hi >= equal) return 'open';
  return p < alpha ? 'resolved' : 'leaning';
}
