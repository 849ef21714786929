import { type Contrast, contrastTreatments, holmNote } from '@mqttlab/shared/analysis/contrasts';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import { contrastSentence } from '@mqttlab/shared/analysis/findings';
import { isClear } from '@mqttlab/shared/analysis/result';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import { formatNumber, plural } from '@mqttlab/shared/format/number';
import { inSentence } from '@mqttlab/shared/format/unit';
import { measured } from './measured.ts';
import type { StudyInput } from './study-input.ts';

export type Pair = readonly [treatment: ComparedTreatment, baseline: ComparedTreatment];

/** One sentence for each pair, never stronger than its interval; p-values are adjusted over all of them. */
export function pairSentences(input: StudyInput, metricId: string, pairs: readonly Pair[]): string[] {
  const { metric, contrasts } = comparePairs(input, metricId, pairs);
  if (!metric) return [];
  // The same sentence for every pair would say no more than one does.
  if (contrasts.length > 1 && contrasts.every(({ outcome }) => outcome === 'few')) {
    return [
      `${metric.label}: no difference is tested, because an interval needs at least ${minRuns} valid runs of each configuration. The tables show the values.`,
    ];
  }
  return contrasts.map((contrast) => contrastSentence(contrast, metric));
}

/** Of those pairs only that differ clearly. */
export function resolvedSentences(input: StudyInput, metricId: string, pairs: readonly Pair[]): string[] {
  const { metric, contrasts } = comparePairs(input, metricId, pairs);
  return metric ? contrasts.filter(isClear).map((contrast) => contrastSentence(contrast, metric)) : [];
}

interface PairQuestion {
  metric: string;
  /** What the study found. */
  expected: 'lower' | 'higher';
  pairs: readonly Pair[];
}

/**
 * "CPU, broker: as published in 2 of 4 tested pairs, the other way round in 1, no difference detected in 1; not tested
 * in 2, which have fewer than 3 valid runs of a configuration." A pair that was not tested counts for nothing.
 */
export function judgePairs(input: StudyInput, question: PairQuestion): string {
  const { metric, contrasts } = comparePairs(input, question.metric, question.pairs);
  const label = metric?.label ?? question.metric;
  const tested = contrasts.filter(wasTested);
  const resolved = tested.filter(isClear);
  const agree = resolved.filter((one) => isAbove(one) === (question.expected === 'higher')).length;
  const [against, open] = [resolved.length - agree, tested.length - resolved.length];
  const untested = untestedWords(contrasts);
  if (tested.length === 0) return `${label}: ${untested}.`;
  const of = `of ${tested.length} tested ${tested.length === 1 ? 'pair' : 'pairs'}`;
  const words = [
    agree > 0 ? `as published in ${agree} ${of}` : '',
    against > 0 ? `the other way round in ${against}${agree > 0 ? '' : ` ${of}`}` : '',
    open > 0
      ? `no difference detected in ${open}${resolved.length > 0 ? '' : ` ${of}`} at this sample size`
      : '',
  ].filter(Boolean);
  return `${label}: ${words.join(', ')}${untested === '' ? '' : `; ${untested}`}.`;
}

/** Returns true if the runs decide, by a test or because they do not vary. */
function wasTested({ outcome, p }: Contrast): boolean {
  return p !== null || outcome === 'exact' || outcome === 'same';
}

/** "not tested in 2 pairs, which have fewer than 3 valid runs of a configuration"; empty if every pair was tested. */
function untestedWords(contrasts: readonly Contrast[]): string {
  const reasons = [
    { outcome: 'few', words: `fewer than ${minRuns} valid runs of a configuration` },
    { outcome: 'not measured', words: 'a configuration without a value' },
    { outcome: 'not comparable', words: 'values of different origin' },
  ];
  const parts = reasons.flatMap(({ outcome, words }) => {
    const count = contrasts.filter((one) => one.outcome === outcome).length;
    return count === 0 ? [] : [`${plural(count, 'pair')} with ${words}`];
  });
  return parts.length === 0 ? '' : `not tested: ${parts.join(', ')}`;
}

interface RankQuestion {
  metric: string;
  /** Which end of the scale leads. */
  first: 'lowest' | 'highest';
  treatments: readonly ComparedTreatment[];
  nameOf: (one: ComparedTreatment) => string;
}

/**
 * "Highest mean message rate: A, 22,000 msg/s. Lower than it: B, C. Not distinguished from it: D." Every pair of
 * configurations is tested, so that the choice of the leader is covered by the adjustment. Empty below two values.
 */
export function leaderSentence(
  input: StudyInput,
  { metric, first, treatments, nameOf }: RankQuestion,
): string {
  const ranked = treatments
    .flatMap((one) => {
      const found = measured(input, one, metric);
      return found ? [{ one, value: found.value }] : [];
    })
    .sort((a, b) => (first === 'lowest' ? a.value - b.value : b.value - a.value));
  const [leader, ...others] = ranked;
  const definition = findMetric(metric);
  if (!definition || !leader || others.length === 0) return '';
  const pairs = ranked.flatMap(({ one }, index) =>
    ranked.slice(index + 1).map((other): Pair => [other.one, one]),
  );
  const { contrasts } = comparePairs(input, metric, pairs);
  const toLeader = contrasts.filter(({ baseline }) => baseline === leader.one);
  const worse = toLeader.filter((one) => isClear(one) && isAbove(one) === (first === 'lowest'));
  const open = toLeader.filter((one) => wasTested(one) && !worse.includes(one));
  const untested = toLeader.filter((one) => !wasTested(one));
  const namesOf = (all: readonly Contrast[]) => all.map(({ treatment }) => nameOf(treatment)).join(', ');
  const value = `${formatNumber(leader.value)} ${definition.unit}`;
  const lead = `${first === 'lowest' ? 'Lowest' : 'Highest'} mean, ${inSentence(definition.label)}: ${nameOf(leader.one)}, ${value}.`;
  if (untested.length === toLeader.length) {
    return `${lead} The order is not tested: an interval needs at least ${minRuns} valid runs of each configuration.`;
  }
  return [
    lead,
    worse.length > 0 ? `${first === 'lowest' ? 'Higher' : 'Lower'} than it: ${namesOf(worse)}.` : '',
    open.length > 0 ? `Not distinguished from it at this sample size: ${namesOf(open)}.` : '',
    untested.length > 0 ? `Not tested, with too few valid runs: ${namesOf(untested)}.` : '',
    `${holmNote(contrasts, 'pair')}.`.replace(/^p/, 'P-values'),
  ]
    .filter(Boolean)
    .join(' ');
}

function isAbove({ scale, value }: Contrast): boolean {
  return (value ?? 0) > (scale === 'ratio' ? 1 : 0);
}

function comparePairs(
  { treatments, flagged }: StudyInput,
  metricId: string,
  pairs: readonly Pair[],
): { metric: MetricDefinition | undefined; contrasts: Contrast[] } {
  const metric = findMetric(metricId);
  if (!metric || pairs.length === 0) return { metric, contrasts: [] };
  return { metric, contrasts: contrastTreatments({ treatments, metric, flagged, pairs, baselineId: '' }) };
}

/** Those that have these levels. */
export function withLevels(
  treatments: readonly ComparedTreatment[],
  levels: Readonly<Record<string, string | number>>,
): ComparedTreatment[] {
  return treatments.filter(({ treatment }) =>
    Object.entries(levels).every(([id, value]) => treatment.levels[id] === value),
  );
}
