import type { MetricDefinition } from '../domain/runs/verdict.ts';
import { formatFixed } from '../format/number.ts';
import { NBSP } from '../format/quantity.ts';
import { displayUnit } from '../format/unit.ts';
import type { Contrast } from './contrasts.ts';
import { minRuns } from './estimate.ts';
import { areInTimes, directionWords, joinWords, nounOf } from './phrase.ts';

/** Maximum number of exceptions named in a headline; if there are more, they are only counted. */
const maxNamed = 2;
/** Maximum length of a panel name in a headline. */
const maxNameLength = 40;

/** Maximum combined length of both names; for longer names, the headline gives fewer details. */
const maxNamesLength = 60;
/** Maximum length of a headline: four lines on a phone. */
const maxLength = 145;

/**
 * Removes the parts that both names contain, such as a suite shared by "TLS 1.3 · RSA 2048" and "TLS 1.2 ·
 * ECDSA P-256".
 */
function withoutCommonParts(name: string, other: string): [string, string] {
  const [parts, others] = [name.split(' · '), other.split(' · ')];
  const [left, right] = [
    parts.filter((part) => !others.includes(part)),
    others.filter((part) => !parts.includes(part)),
  ];
  return left.length === 0 || right.length === 0 ? [name, other] : [left.join(' · '), right.join(' · ')];
}

export interface HeadlineSides {
  name: string;
  other: string;
  /** Returns the name of a contrast's panel. */
  rowOf(contrast: Contrast): string;
  /**
   * All contrasts of the metric, whose ratios have the same form in every headline; by default, the contrasts
   * in this headline.
   */
  family?: readonly Contrast[];
}

/**
 * Summarises a finding over many panels in one sentence of at most two lines on a wide screen. States
 * direction, range and count, for example "AES-256-GCM has more wire bytes than Plain in all 12 panels, by
 * 0.3 to 65 %." Exceptions are named, or counted if there are many. States a direction only for contrasts
 * that are resolved or exact.
 */
export function headlineOf(
  metric: MetricDefinition,
  contrasts: readonly Contrast[],
  sides: HeadlineSides,
): string {
  const byDetail = details.map((detail) => makeHeadline(metric, contrasts, { ...sides, detail }));
  return byDetail.find(({ length }) => length <= maxLength) ?? byDetail.at(-1) ?? '';
}

/**
 * Details of a headline besides its direction, from most to least detailed: the range of the less frequent
 * direction; names of up to two exceptions; counts of exceptions by reason; a single count of exceptions.
 */
const details = ['ranges', 'names', 'reasons', 'counts'] as const;

function makeHeadline(
  metric: MetricDefinition,
  contrasts: readonly Contrast[],
  { rowOf, detail, family = contrasts, ...sides }: HeadlineSides & { detail: (typeof details)[number] },
): string {
  const isLong = sides.name.length + sides.other.length > maxNamesLength;
  const [name, other] = isLong ? withoutCommonParts(sides.name, sides.other) : [sides.name, sides.other];
  const panels = contrasts.length;
  const noun = nounOf(metric);
  const of = (...outcomes: Contrast['outcome'][]) =>
    contrasts.filter(({ outcome }) => outcomes.includes(outcome));
  const claims = of('resolved', 'exact');
  const higher = claims.filter(isHigher);
  const lower = claims.filter((one) => !isHigher(one));
  const open = of('open', 'leaning');
  const same = of('same');
  const missing = of('few', 'not measured', 'not comparable');
  const inPanels = (some: readonly Contrast[]) =>
    some.length === panels ? `in all ${panels} panels` : `in ${some.length} of ${panels} panels`;
  const mayName = detail === 'ranges' || detail === 'names';
  const rest = (some: readonly Contrast[], words: string): string[] => {
    if (some.length === 0) return [];
    const names = some.map(rowOf);
    const areShort = names.every((row) => row !== '' && row.length <= maxNameLength);
    return some.length <= maxNamed && areShort && !isLong && mayName
      ? [`${words} at ${joinWords(names)}`]
      : [`${words} in ${some.length}`];
  };
  const withoutClaim = [...rest(same, 'the same'), ...rest(missing, 'too few valid runs')];
  if (claims.length > 0) {
    const [most, least] = higher.length >= lower.length ? [higher, lower] : [lower, higher];
    const words = directionWords(metric, most === higher);
    const against = directionWords(metric, least === higher).direction;
    const head = `${name} ${words.phrase} than ${other} ${inPanels(most)}, by ${rangeOf(metric, most, family)}`;
    const bySize = isLong || detail !== 'ranges' ? '' : `, by ${rangeOf(metric, least, family)}`;
    const opposite = least.length > 0 ? [`${against} in ${least.length}${bySize}`] : [];
    const undecided = same.length > 0 ? 'the same or unclear' : 'unclear';
    const others =
      detail === 'counts'
        ? [`${undecided} in ${open.length + same.length + missing.length}`]
        : [...rest(open, 'no clear difference'), ...withoutClaim];
    return `${[head, ...opposite, ...others].join('; ')}.`;
  }
  if (open.length > 0) {
    const where = open.length === panels ? `in any of ${panels} panels` : inPanels(open);
    const head = `No clear difference in ${noun} between ${name} and ${other} ${where}`;
    return `${[head, ...withoutClaim].join('; ')}.`;
  }
  if (same.length > 0) {
    const head = `${name} and ${other} have the same ${noun} in every run ${inPanels(same)}`;
    return `${[head, ...rest(missing, 'too few valid runs')].join('; ')}.`;
  }
  return `Too few valid runs to compare ${name} with ${other} in ${noun} in any of ${panels} panels.`;
}

function isHigher({ scale, value }: Contrast): boolean {
  return (value ?? 0) > (scale === 'ratio' ? 1 : 0);
}

/** Formats a range, rounded outwards: "0.3 to 65 %", "22.5 %" if all are equal, "a factor of 1.2 to 5.3", "0.21 to 3 ms". */
function rangeOf(
  metric: MetricDefinition,
  contrasts: readonly Contrast[],
  family: readonly Contrast[],
): string {
  const ratios = contrasts.flatMap(({ scale, value }) =>
    scale === 'ratio' && value !== null ? [value] : [],
  );
  if (ratios.length === contrasts.length) {
    if (areInTimes(family))
      return `a factor of ${spanOf(
        ratios.map((ratio) => Math.max(ratio, 1 / ratio)),
        '',
      )}`;
    return spanOf(
      ratios.map((ratio) => Math.abs(ratio - 1) * 100),
      '%',
    );
  }
  const unit = metric.unit === '%' ? 'percentage points' : metric.unit;
  const differences = contrasts.map(({ inUnits }) => Math.abs(inUnits ?? 0));
  const display = displayUnit(Math.max(...differences), unit);
  return spanOf(
    differences.map((one) => one * display.multiplier),
    display.unit,
  );
}

function spanOf(values: readonly number[], unit: string): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const after = unit === '' ? '' : `${NBSP}${unit}`;
  const exact = figureOf(least, 3, Math.round);
  if (exact === figureOf(most, 3, Math.round)) return `${exact}${after}`;
  return `${figureOf(least, 2, Math.floor)} to ${figureOf(most, 2, Math.ceil)}${after}`;
}

/** Rounds values below one to significant digits; larger values to whole numbers. */
function figureOf(value: number, significant: number, round: (value: number) => number): string {
  if (value === 0) return '0';
  const decimals = Math.min(15, Math.max(0, significant - 1 - Math.floor(Math.log10(value))));
  // With floating-point numbers, 0.29 * 100 is slightly less than 29.
  const shown = round(Number((value * 10 ** decimals).toPrecision(12))) / 10 ** decimals;
  return formatFixed(shown, decimals)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}

export interface Basis {
  contrasts: readonly Contrast[];
  /** Valid runs with a value for the metric, over all treatments. */
  usedRuns: number;
  /** Runs that are excluded because they are flagged. */
  flaggedOut: number;
  allRuns: number;
}

/**
 * Returns why nothing is compared, or null if at least one contrast has an interval or is exact. A comparison
 * without such a contrast has no headline and no ratio.
 */
export function whyNothingCompared(
  metric: MetricDefinition,
  { contrasts, usedRuns, flaggedOut, allRuns }: Basis,
): string | null {
  const isShortOfRuns = contrasts.every(({ outcome }) => outcome === 'few' || outcome === 'not measured');
  if (contrasts.length === 0 || !isShortOfRuns) return null;
  const noun = nounOf(metric);
  const needed = `a comparison needs ${minRuns} on each side`;
  if (flaggedOut === 0) {
    const most = Math.max(...contrasts.map(({ runs }) => runs));
    const runs = most === 1 ? '1 run' : `${most} runs`;
    return `Each treatment has at most ${runs} with ${noun}; ${needed}. Clone the experiment with more repetitions.`;
  }
  const are = usedRuns === 1 ? 'run is' : 'runs are';
  return `Too few valid runs for a comparison: ${usedRuns} of ${allRuns} ${are} valid for ${noun}; ${needed}.`;
}
