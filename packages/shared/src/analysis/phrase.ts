import { findMetric } from '../catalogue/metrics.ts';
import type { MetricDefinition } from '../domain/runs/verdict.ts';
import { formatInterval } from '../format/interval.ts';
import { NBSP } from '../format/quantity.ts';
import { displayUnit, inSentence } from '../format/unit.ts';
import type { Contrast } from './contrasts.ts';

/** Ratio above which "5 times" reads better than "400 % more". */
const maxPercent = 300;
const usedUp: readonly MetricDefinition['group'][] = ['cpu', 'energy', 'memory'];

/** Wording for the contrasts of one metric. */
export interface Phrase {
  /** "uses", "has a", "has an" or "has", before a text that starts with a size. */
  verb(size: string): string;
  noun: string;
  /** True if sizes read "3.4 times [2.9, 4.1]", followed by "the wire bytes of plain". */
  isInTimes: boolean;
  /** For example "4.1 % [2.9, 5.3] less". */
  size(contrast: Compared): string;
  /** "+4.1 % [2.9, 5.3]", "×5.2 [4.9, 5.5]" or "−0.2 ms [−0.5, 0.1]". */
  signed(contrast: Compared): string;
}

export type Compared = Pick<Contrast, 'scale' | 'value' | 'lo' | 'hi'>;

/** True if ratios should read "5 times" rather than "400 % more", because one of them is large enough. */
export function areInTimes(contrasts: readonly Pick<Compared, 'scale' | 'value'>[]): boolean {
  return contrasts.some((one) => one.scale === 'ratio' && Math.abs(percentOf(one.value)) >= maxPercent);
}

/**
 * Returns the wording for contrasts in one sentence; values in the metric's unit share one prefix. `family`
 * contains all contrasts of the metric, whose ratios have the same form in every sentence.
 */
export function phraseOf(
  metric: MetricDefinition,
  compared: readonly Compared[],
  family: readonly Compared[] = compared,
): Phrase {
  const { verb, more, less } = wordsOf(metric);
  const isInTimes = areInTimes(family);
  // A percentage of a percentage would be ambiguous.
  const unit = metric.unit === '%' ? 'percentage points' : metric.unit;
  return {
    verb: (size) => (isInTimes ? verb.replace(/ a$/, '') : verb.replace(/ a$/, ` ${articleOf(size)}`)),
    noun: nounOf(metric),
    isInTimes,
    size: ({ scale, value, lo, hi }) => {
      if (isInTimes && scale === 'ratio') return timesText({ value, lo, hi }, 'times');
      const figures = scale === 'ratio' ? [value, lo, hi].map(percentOrNull) : [value, lo, hi];
      const [centre = null, from = null, to = null] = figures;
      const isBelow = (centre ?? 0) < 0;
      const turned = (bound: number | null) => (bound === null ? undefined : isBelow ? -bound : bound);
      const size = formatInterval(
        { value: Math.abs(centre ?? 0), lo: turned(isBelow ? to : from), hi: turned(isBelow ? from : to) },
        { unit: scale === 'ratio' ? '%' : unit },
      ).text;
      return `${size} ${isBelow ? less : more}`;
    },
    signed: (one) => {
      if (one.scale !== 'ratio') return differenceText(one, { unit, compared });
      return isInTimes ? timesText(one, '×') : ratioText(one);
    },
  };
}

/** Returns "an" before 8, 11, 18, 80, 800 and their thousands, "a" before other numbers. */
function articleOf(size: string): 'a' | 'an' {
  const [leading = ''] = /^\d+/.exec(size) ?? [];
  return /^8|^1[18]$/.test(leading) ? 'an' : 'a';
}

/** Formats a ratio: "+4.1 % [2.9, 5.3]", or "×5.2 [4.9, 5.5]" if the percentage would have three digits. */
export function ratioText({ value, lo, hi }: Pick<Compared, 'value' | 'lo' | 'hi'>): string {
  if (Math.abs(percentOf(value)) >= maxPercent) return timesText({ value, lo, hi }, '×');
  const bound = (one: number | null) => percentOrNull(one) ?? undefined;
  return formatInterval(
    { value: percentOf(value), lo: bound(lo), hi: bound(hi) },
    { unit: '%', signed: true },
  ).text;
}

/** "5.2 times [4.9, 5.5]" or "×5.2 [4.9, 5.5]". */
function timesText({ value, lo, hi }: Pick<Compared, 'value' | 'lo' | 'hi'>, word: 'times' | '×'): string {
  const said = formatInterval(
    { value: value ?? Number.NaN, lo: lo ?? undefined, hi: hi ?? undefined },
    // All digits are needed to show on which side of 1 a bound is.
    { unitInHead: true, maxSignificant: 9 },
  );
  const figure = word === '×' ? `×${said.value}` : `${said.value}${NBSP}times`;
  return [figure, said.interval].filter(Boolean).join(NBSP);
}

function differenceText(
  { value, lo, hi }: Compared,
  { unit, compared }: { unit: string; compared: readonly Compared[] },
): string {
  const display = displayUnit(
    largestOf([...compared.filter(({ scale }) => scale === 'difference'), { value, lo, hi }]),
    unit,
  );
  const times = (one: number | null) => (one === null ? undefined : one * display.multiplier);
  const said = formatInterval(
    { value: times(value) ?? 0, lo: times(lo), hi: times(hi) },
    { unitInHead: true, signed: true },
  );
  return [said.value, display.unit, said.interval].filter(Boolean).join(NBSP);
}

function largestOf(differences: readonly Pick<Compared, 'value' | 'lo' | 'hi'>[]): number {
  return Math.max(
    ...differences.flatMap(({ value, lo, hi }) => [value, lo, hi]).map((one) => Math.abs(one ?? 0)),
  );
}

function percentOf(ratio: number | null): number {
  return ratio === null ? 0 : (ratio - 1) * 100;
}

function percentOrNull(ratio: number | null): number | null {
  return ratio === null ? null : percentOf(ratio);
}

const plural =
  /\b(bytes|frames|connections|handshakes|segments|messages|cycles|references|misses|instructions|attempts)\b/;

/**
 * Returns, for example, "uses 5 % more CPU", "has a 5 % longer TLS handshake", "has 5 % more wire bytes" or
 * "has a 5 % higher latency".
 */
function wordsOf(metric: MetricDefinition): { verb: string; more: string; less: string } {
  const { group, unit, better } = metric;
  const noun = nounOf(metric);
  if (plural.test(noun) && !/^(share|mean|median|P\d)/.test(noun)) {
    return { verb: 'has', more: 'more', less: 'fewer' };
  }
  if (usedUp.includes(group) && better === 'lower') return { verb: 'uses', more: 'more', less: 'less' };
  const isDuration = (group === 'set-up' && /^(ms|µs|s)$/.test(unit)) || unit === 'h';
  if (isDuration) return { verb: 'has a', more: 'longer', less: 'shorter' };
  return { verb: 'has a', more: 'higher', less: 'lower' };
}

/**
 * Returns, for example, "has a higher median latency" or "uses less CPU at the broker", and the word for the
 * direction alone.
 */
export function directionWords(
  metric: MetricDefinition,
  isHigher: boolean,
): { phrase: string; direction: string } {
  const { verb, more, less } = wordsOf(metric);
  const direction = isHigher ? more : less;
  return { phrase: `${verb} ${direction} ${nounOf(metric)}`, direction };
}

/**
 * Returns the noun for a metric: "median latency" for "Latency, median", "CPU at the broker" for "CPU,
 * broker", "lost messages" for "Lost" with the unit messages.
 */
export function nounOf({ label, unit }: Pick<MetricDefinition, 'label'> & { unit?: string }): string {
  const [noun = label, ...kinds] = label.split(', ');
  const kind = kinds.join(', ');
  const first = inSentence(noun);
  if (kind === '') return unit === 'messages' ? `${first} messages` : first;
  if (noun === 'Bridge') return `${kind} at the bridge`;
  if (/^(publisher|subscriber|broker|bridge|cloud[- ]broker|client)$/.test(kind))
    return `${first} at the ${kind}`;
  return kind === 'standard deviation' ? `${kind} of ${first}` : `${inSentence(kind)} ${first}`;
}

/** Returns the same noun as a heading: "Median latency". */
export function titleOf(metric: Pick<MetricDefinition, 'label'> & { unit?: string }): string {
  const noun = nounOf(metric);
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Returns "geometric mean of runs" or "mean of runs". */
export function centreWords(metricId: string): string {
  return findMetric(metricId)?.quantity === 'positive' ? 'geometric mean of runs' : 'mean of runs';
}
