import { findMetric } from '../catalogue/metrics.ts';
import type { ComparedTreatment, Comparison } from '../domain/comparison.ts';
import type { Threshold } from '../domain/experiment-draft.ts';
import type { Plan } from '../domain/plan.ts';
import { formatInterval } from '../format/interval.ts';
import { formatQuantity } from '../format/quantity.ts';
import { contrastTreatments, estimateTreatments } from './contrasts.ts';

/** `not resolved`: the mean may be on either side; `not measured`: no valid run has the metric. */
export type ThresholdOutcome = 'held' | 'broken' | 'not resolved' | 'not measured';

export interface JudgedThreshold {
  threshold: Threshold;
  /** "Latency, P95 at most 20 ms" */
  rule: string;
  treatment: ComparedTreatment;
  /** Mean over valid runs with its 95 % t interval, or percent of the baseline; null where there is none. */
  value: number | null;
  lo: number | null;
  hi: number | null;
  unit: string;
  outcome: ThresholdOutcome;
  /** "18.4 ms [17.9, 18.8]", or why there is nothing. */
  measured: string;
}

type Figure = Pick<JudgedThreshold, 'value' | 'lo' | 'hi'>;

/**
 * Every Treatment that a threshold speaks of, held against it: it holds where the whole 95 % interval is on the
 * right side, and is broken where the whole interval is on the wrong one. Flagged Runs do not count.
 */
export function judgeThresholds(
  { thresholds, baselineKey }: Pick<Plan, 'thresholds' | 'baselineKey'>,
  comparison: Comparison,
): JudgedThreshold[] {
  return thresholds.flatMap((threshold) => {
    const unit = unitOf(threshold);
    return figuresOf(threshold, { comparison, baselineKey }).flatMap(({ treatment, ...figure }) =>
      speaksOf(threshold, treatment)
        ? [
            {
              ...{ threshold, rule: describeThreshold(threshold), treatment, unit },
              ...figure,
              outcome: judge(threshold, figure),
              measured: inWords(figure, unit),
            },
          ]
        : [],
    );
  });
}

/** "CPU, publisher at most 110 % of the baseline" */
export function describeThreshold(threshold: Threshold): string {
  const metric = findMetric(threshold.metric)?.label ?? threshold.metric;
  const [side, limit] = sideOf(threshold);
  const figure =
    threshold.of === 'baseline' ? `${limit} % of the baseline` : formatQuantity(limit, unitOf(threshold));
  return `${metric} ${side === 'most' ? 'at most' : 'at least'} ${figure}`;
}

/** Which side is limited, and where. */
function sideOf({ atMost, atLeast }: Threshold): ['most' | 'least', number] {
  return atMost === undefined ? ['least', atLeast ?? Number.NaN] : ['most', atMost];
}

function unitOf({ metric, of }: Threshold): string {
  return of === 'baseline' ? '%' : (findMetric(metric)?.unit ?? '');
}

function figuresOf(
  { metric, of }: Threshold,
  { comparison, baselineKey }: { comparison: Comparison; baselineKey: string },
): (Figure & { treatment: ComparedTreatment })[] {
  const { treatments } = comparison;
  const choice = { metric, flagged: false };
  if (of === 'value') {
    return estimateTreatments(treatments, choice).map(({ treatment, interval }) => ({
      treatment,
      value: interval.mean,
      lo: interval.lo,
      hi: interval.hi,
    }));
  }
  const baseline = treatments.find(({ treatment }) => treatment.key === baselineKey);
  const percent = (ratio: number | null | undefined) =>
    ratio === null || ratio === undefined ? null : ratio * 100;
  return contrastTreatments({ ...choice, treatments, baselineId: baseline?.id ?? '' }).map(
    ({ treatment, ratio }) => ({
      treatment,
      value: percent(ratio?.ratio),
      lo: percent(ratio?.lo),
      hi: percent(ratio?.hi),
    }),
  );
}

function speaksOf({ where = {} }: Threshold, { treatment }: ComparedTreatment): boolean {
  return Object.entries(where).every(([factor, levels]) => {
    const level = treatment.levels[factor];
    return level !== null && level !== undefined && levels.includes(level);
  });
}

function judge(threshold: Threshold, { value, lo, hi }: Figure): ThresholdOutcome {
  if (value === null) return 'not measured';
  if (lo === null || hi === null) return 'not resolved';
  const [side, limit] = sideOf(threshold);
  const [best, worst] = side === 'most' ? [lo, hi] : [-hi, -lo];
  const most = side === 'most' ? limit : -limit;
  if (worst <= most) return 'held';
  return best > most ? 'broken' : 'not resolved';
}

function inWords({ value, lo, hi }: Figure, unit: string): string {
  if (value === null) return 'no valid run has it';
  if (lo === null || hi === null) return `${formatQuantity(value, unit)}, one run: no interval`;
  return formatInterval({ value, lo, hi }, { unit }).text;
}
