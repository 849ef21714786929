import { findFactor } from '../../catalogue/factors.ts';
import { findMetric } from '../../catalogue/metrics.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import { plural } from '../../format/number.ts';
import type { Interval, Region } from '../../statistics/comparisons/region.ts';
import { meanInterval } from '../../statistics/estimates/interval.ts';
import { minRuns } from '../estimate.ts';
import { nounOf } from '../phrase.ts';
import { type BlockValue, type PooledPair, poolDifference } from '../pooled-difference.ts';
import { runValues } from '../run-values.ts';
import {
  type Contrast,
  count,
  type Derived,
  type Expectation,
  type Levels,
  type Line,
  type Measure,
  type MissingLine,
  type PartEvidence,
  type Select,
  type Test,
} from './claim.ts';

export function isSelected(levels: Levels, select: Select): boolean {
  if (typeof select === 'function') return select(levels);
  return Object.entries(select).every(([id, wanted]) =>
    (Array.isArray(wanted) ? wanted : [wanted]).includes(levels[id]),
  );
}

export function select(treatments: readonly ComparedTreatment[], wanted: Select): ComparedTreatment[] {
  return treatments.filter(({ treatment }) => isSelected(treatment.levels, wanted));
}

export function describeMeasure(measure: Measure): Pick<Derived, 'label' | 'unit' | 'kind' | 'metrics'> {
  if (typeof measure !== 'string') return measure;
  const metric = findMetric(measure);
  if (!metric) throw new RangeError(`there is no metric ${measure}`);
  return { label: nounOf(metric), unit: metric.unit, kind: metric.quantity, metrics: [measure] };
}

/**
 * Returns one value per run that has all metrics of the measure. Excludes runs with a failed verdict on one
 * of these metrics.
 */
export function valuesOf(one: ComparedTreatment, measure: Measure, flagged: boolean): BlockValue[] {
  if (typeof measure === 'string') return runValues(one, { metric: measure, flagged });
  const all = measure.metrics.map((metric) => runValues(one, { metric, flagged }));
  return (all[0] ?? []).flatMap(({ block, runId }) => {
    const own = all.map((values) => values.find((value) => value.runId === runId)?.value ?? null);
    if (own.some((value) => value === null)) return [];
    const value = measure.of(own as number[], one.treatment.levels);
    return value === null || !Number.isFinite(value) ? [] : [{ block, value, step: 0 }];
  });
}

/** Returns the values of all runs with these treatments. */
export function numbersOf(
  { treatments, flagged }: Pick<PartEvidence, 'treatments' | 'flagged'>,
  measure: Measure,
  wanted: Select = {},
): number[] {
  return select(treatments, wanted).flatMap((one) =>
    valuesOf(one, measure, flagged).map(({ value }) => value),
  );
}

interface RunCount {
  label: string;
  measure: Measure;
  /** Restricts the runs to these treatments. */
  where?: Select;
  isRight(value: number): boolean;
  /** Describes the values of all runs; only called if there are runs. */
  detail?(values: readonly number[]): string;
}

/** Counts the runs whose value satisfies the claim, out of all runs with a value. */
export function countRuns(...counts: readonly RunCount[]): Test {
  return count((evidence) =>
    counts.map(({ label, measure, where, isRight, detail }) => {
      const values = numbersOf(evidence, measure, where);
      const words = detail && values.length > 0 ? { detail: detail(values) } : {};
      return { label, right: values.filter(isRight).length, of: values.length, ...words };
    }),
  );
}

/** Returns the factors whose levels differ between these treatments. */
function variedFactors(treatments: readonly ComparedTreatment[]): string[] {
  const ids = new Set(treatments.flatMap(({ treatment }) => Object.keys(treatment.levels)));
  return [...ids].filter(
    (id) => new Set(treatments.flatMap(({ treatment }) => treatment.levels[id] ?? [])).size > 1,
  );
}

/** True if both have the same level of each factor that applies to both. */
function agreeOn(a: Levels, b: Levels, factors: readonly string[]): boolean {
  return factors.every((id) => {
    const [own, other] = [a[id] ?? null, b[id] ?? null];
    return own === null || other === null || own === other;
  });
}

function keysOf(selection: Select): string[] {
  return typeof selection === 'function' ? [] : Object.keys(selection);
}

/** Returns all comparisons of a contrast, in the order of measures and levels. */
export function contrastLines(contrast: Contrast, evidence: PartEvidence): (Line | MissingLine)[] {
  const { of, against, where = {}, across = [], each = [], eachOther } = contrast;
  const treatments = select(evidence.treatments, where);
  const [own, others] = [select(treatments, of), select(treatments, against)];
  const differing = new Set([
    ...keysOf(of),
    ...keysOf(against),
    ...across,
    ...(eachOther ? [eachOther] : []),
  ]);
  const matched = variedFactors(treatments).filter((id) => !differing.has(id));
  const ownGroups = groupBy(own, each);
  const otherGroups = groupBy(others, eachOther ? [eachOther] : []);
  return contrast.measures.flatMap((measure) =>
    ownGroups.flatMap((members) =>
      otherGroups.flatMap((candidates) => {
        const pairs = pairUp(members, candidates, matched);
        if (pairs.length === 0) return [];
        const names = [
          nameOf(candidates, eachOther ? [eachOther] : [], 'against '),
          nameOf(
            members,
            each.filter((id) => variedFactors(own).includes(id)),
            'at ',
          ),
        ].filter(Boolean);
        const who = [contrast.who, ...names].join(' ');
        return lineOf(pairs, { who, measure, expect: contrast.expect, evidence }) ?? [];
      }),
    ),
  );
}

function groupBy(
  treatments: readonly ComparedTreatment[],
  factors: readonly string[],
): ComparedTreatment[][] {
  const keyOf = ({ treatment }: ComparedTreatment) =>
    factors.map((id) => treatment.levels[id] ?? '').join('|');
  return [...Map.groupBy(treatments, keyOf).values()];
}

function nameOf(members: readonly ComparedTreatment[], factors: readonly string[], before: string): string {
  const [first] = members;
  const words = factors.flatMap((id) => {
    const level = first?.treatment.levels[id] ?? null;
    return level === null ? [] : [findFactor(id)?.shortLabel(level) ?? String(level)];
  });
  return words.length === 0 ? '' : `${before}${words.join(', ')}`;
}

type TreatmentPair = { treatment: ComparedTreatment[]; baseline: ComparedTreatment[] };

/** Groups treatments by the matched factors, each group with all matching candidates. */
function pairUp(
  members: readonly ComparedTreatment[],
  candidates: readonly ComparedTreatment[],
  matched: readonly string[],
): TreatmentPair[] {
  return groupBy(members, matched).flatMap((treatment) => {
    const [first] = treatment;
    const baseline = candidates.filter(
      (other) =>
        first &&
        !treatment.includes(other) &&
        agreeOn(first.treatment.levels, other.treatment.levels, matched),
    );
    return baseline.length === 0 ? [] : [{ treatment, baseline }];
  });
}

interface LineQuestion {
  who: string;
  measure: Measure;
  expect: Expectation;
  evidence: PartEvidence;
}

/** Returns null if no run on either side has measured it. */
function lineOf(pairs: readonly TreatmentPair[], question: LineQuestion): Line | MissingLine | null {
  const { who, measure, expect, evidence } = question;
  const { label: noun, unit, kind } = describeMeasure(measure);
  const label = `${noun}, ${who}`;
  const valuesIn = (flagged: boolean) =>
    pairs.map((pair): PooledPair => {
      const of = (side: readonly ComparedTreatment[]) => side.map((one) => valuesOf(one, measure, flagged));
      return { treatment: of(pair.treatment), baseline: of(pair.baseline) };
    });
  const isPaired =
    new Set(
      pairs.flatMap((pair) => [...pair.treatment, ...pair.baseline].map(({ experimentId }) => experimentId)),
    ).size < 2;
  const options = { isPositive: kind === 'positive', isPaired };
  const pooled = poolDifference(valuesIn(evidence.flagged), options);
  if ('value' in pooled) {
    const { scale, value, runs, isExact, intervalAt } = pooled;
    return { label, unit, scale, value, runs, isExact, intervalAt, region: regionOf(expect, scale) };
  }
  const all = valuesIn(true).flatMap(({ treatment, baseline }) => [...treatment, ...baseline]);
  if (all.every((runs) => runs.length === 0)) return null;
  const withFlagged = poolDifference(valuesIn(true), options);
  const isFlagged = withFlagged.runs > pooled.runs;
  const words = `${plural(pooled.runs, 'valid run')} on the smaller side, but at least ${minRuns} are needed`;
  return { label, runs: pooled.runs, missing: isFlagged ? `${words}; flagged runs are excluded` : words };
}

function regionOf(expect: Expectation, scale: Line['scale']): Region {
  const equal = scale === 'ratio' ? 1 : 0;
  if (expect === 'higher') return { from: equal, to: Number.POSITIVE_INFINITY };
  if (expect === 'lower') return { from: Number.NEGATIVE_INFINITY, to: equal };
  if ('atLeast' in expect) {
    return { from: scale === 'ratio' ? expect.atLeast : equal, to: Number.POSITIVE_INFINITY };
  }
  return { from: expect.between[0], to: expect.between[1] };
}

interface SampleOptions {
  label: string;
  unit: string;
  expect: Expectation;
  /** True if the values are ratios of positive numbers, averaged as logarithms. */
  isRatio?: boolean;
}

/** Returns the mean of one value per run, with the t interval over runs. */
export function sampleLine(
  values: readonly number[],
  { label, unit, expect, isRatio }: SampleOptions,
): Line | MissingLine {
  const runs = values.length;
  if (runs < minRuns)
    return { label, runs, missing: `${plural(runs, 'valid run')}, at least ${minRuns} are needed` };
  const [to, back] = isRatio ? [Math.log, Math.exp] : [identity, identity];
  const own = values.map(to);
  const isExact = own.every((value) => value === own[0]);
  const centre = meanInterval(own).mean ?? Number.NaN;
  const scale = isRatio ? 'ratio' : 'value';
  return {
    label,
    unit,
    scale,
    value: back(centre),
    runs,
    isExact,
    region: regionOf(expect, scale),
    intervalAt: (coverage): Interval => {
      const { lo, hi } = meanInterval(own, coverage);
      return isExact
        ? { lo: back(centre), hi: back(centre) }
        : { lo: back(lo ?? centre), hi: back(hi ?? centre) };
    },
  };
}

function identity(value: number): number {
  return value;
}
