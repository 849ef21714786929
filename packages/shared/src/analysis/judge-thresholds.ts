import { findMetric } from '../catalogue/metrics.ts';
import type { Threshold } from '../domain/plans/experiment-draft.ts';
import type { Plan, Treatment } from '../domain/plans/plan.ts';
import type { ComparedTreatment, Comparison } from '../domain/runs/comparison.ts';
import { formatInterval } from '../format/interval.ts';
import { formatQuantity } from '../format/quantity.ts';
import { resultOf } from './result.ts';

/** `not resolved`: the mean may be on either side; `not measured`: no valid run has the metric. */
export type ThresholdOutcome = 'held' | 'broken' | 'not resolved' | 'not measured';

export interface JudgedThreshold {
  threshold: Threshold;
  /** For example "Latency, P95 at most 20 ms". */
  rule: string;
  treatment: ComparedTreatment;
  /**
   * Mean over valid runs, or a percentage of the baseline, with its 95 % interval; null if there is no value.
   */
  value: number | null;
  lo: number | null;
  hi: number | null;
  unit: string;
  outcome: ThresholdOutcome;
  /** For example "18.4 ms [17.9, 18.8]", or why there is no value. */
  measured: string;
}

interface Figure extends Pick<JudgedThreshold, 'value' | 'lo' | 'hi'> {
  /** True if the value is the same in every run and needs no interval. */
  isExact: boolean;
  runs: number;
}

const unmeasured: Figure = { value: null, lo: null, hi: null, isExact: false, runs: 0 };

/**
 * Judges every treatment that a threshold limits. The threshold holds if the entire 95 % interval is within
 * the limit, and is violated if the entire interval is outside. Flagged runs do not count.
 */
export function judgeThresholds(
  { thresholds, baselineKey }: Pick<Plan, 'thresholds' | 'baselineKey'>,
  comparison: Pick<Comparison, 'treatments'>,
  /**
   * Treatments from another experiment. If set, each treatment is compared with the same treatment of that
   * experiment.
   */
  reference?: readonly ComparedTreatment[],
): JudgedThreshold[] {
  return thresholds.flatMap((threshold) => {
    const unit = unitOf(threshold);
    return figuresOf(threshold, { comparison, baselineKey, reference }).flatMap(({ treatment, ...figure }) =>
      appliesTo(threshold, treatment.treatment)
        ? [
            {
              threshold,
              rule: describeThreshold(threshold),
              treatment,
              unit,
              value: figure.value,
              lo: figure.lo,
              hi: figure.hi,
              outcome: judge(threshold, figure),
              measured: inWords(figure, unit),
            },
          ]
        : [],
    );
  });
}

/** Describes a threshold: "CPU, publisher at most 110 % of the baseline". */
export function describeThreshold(threshold: Threshold): string {
  const metric = findMetric(threshold.metric)?.label ?? threshold.metric;
  const [side, limit] = sideOf(threshold);
  const figure =
    threshold.of === 'baseline' ? `${limit} % of the baseline` : formatQuantity(limit, unitOf(threshold));
  return `${metric} ${side === 'most' ? 'at most' : 'at least'} ${figure}`;
}

/** Returns the kind of limit and its value. */
function sideOf({ atMost, atLeast }: Threshold): ['most' | 'least', number] {
  return atMost === undefined ? ['least', atLeast ?? Number.NaN] : ['most', atMost];
}

function unitOf({ metric, of }: Threshold): string {
  return of === 'baseline' ? '%' : (findMetric(metric)?.unit ?? '');
}

function figuresOf(
  { metric, of }: Threshold,
  {
    comparison,
    baselineKey,
    reference,
  }: {
    comparison: Pick<Comparison, 'treatments'>;
    baselineKey: string;
    reference: readonly ComparedTreatment[] | undefined;
  },
): (Figure & { treatment: ComparedTreatment })[] {
  const { treatments } = comparison;
  const definition = findMetric(metric);
  if (!definition) return treatments.map((treatment) => ({ treatment, ...unmeasured }));
  const question = { treatments, metric: definition, flagged: false };
  if (of === 'value') {
    return resultOf({ ...question, baselineId: '' }).estimates.map(({ treatment, estimate }) => ({
      treatment,
      value: estimate.value,
      lo: estimate.lo,
      hi: estimate.hi,
      isExact: estimate.isConstant,
      runs: estimate.n,
    }));
  }
  const baselineId = treatments.find(({ treatment }) => treatment.key === baselineKey)?.id ?? '';
  const sameOf = (one: ComparedTreatment) =>
    reference?.find(({ treatment }) => treatment.key === one.treatment.key);
  const pairs = treatments.flatMap((one): (readonly [ComparedTreatment, ComparedTreatment])[] => {
    const same = sameOf(one);
    return same ? [[one, same]] : [];
  });
  const alone = reference ? treatments.filter((one) => !sameOf(one)) : [];
  const compared = resultOf({ ...question, baselineId, ...(reference ? { pairs } : {}) }).contrasts.map(
    ({ treatment, baseline: other, scale, value, lo, hi, outcome, runs, inUnits }) => {
      const isExact = outcome === 'exact' || outcome === 'same';
      if (scale === 'ratio') {
        const [centre = null, from = null, to = null] = [value, lo, hi].map((one) => one && one * 100);
        return { treatment, value: centre, lo: from, hi: to, isExact, runs };
      }
      // With a baseline of zero, percentages are undefined.
      const isZero = inUnits === 0 && isExact && other.runs.length > 0;
      return { treatment, ...unmeasured, value: isZero ? 100 : null, isExact: isZero, runs };
    },
  );
  return [...compared, ...alone.map((treatment) => ({ treatment, ...unmeasured }))];
}

/** True if the threshold limits this treatment. */
export function appliesTo({ where = {} }: Threshold, treatment: Pick<Treatment, 'levels'>): boolean {
  return Object.entries(where).every(([factor, levels]) => {
    const level = treatment.levels[factor];
    return level !== null && level !== undefined && levels.includes(level);
  });
}

function judge(threshold: Threshold, figure: Figure): ThresholdOutcome {
  const { value } = figure;
  if (value === null) return 'not measured';
  const { lo, hi } = figure.isExact ? { lo: value, hi: value } : figure;
  if (lo === null || hi === null) return 'not resolved';
  const [side, limit] = sideOf(threshold);
  const [best, worst] = side === 'most' ? [lo, hi] : [-hi, -lo];
  const most = side === 'most' ? limit : -limit;
  if (worst <= most) return 'held';
  return best > most ? 'broken' : 'not resolved';
}

function inWords({ value, lo, hi, isExact, runs }: Figure, unit: string): string {
  if (value === null) return 'no valid run has this metric';
  if (isExact) return `${formatQuantity(value, unit)}, the same in every run`;
  if (lo === null || hi === null) return `${formatQuantity(value, unit)}, n = ${runs}: no interval`;
  return formatInterval({ value, lo, hi }, { unit }).text;
}
