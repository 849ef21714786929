import type { Treatment } from '../domain/plans/plan.ts';
import type { ReportFinding } from '../domain/report/report.ts';
import type { ComparedTreatment } from '../domain/runs/comparison.ts';
import type { MetricDefinition } from '../domain/runs/verdict.ts';
import { formatSignedP, NBSP } from '../format/quantity.ts';
import type { Contrast } from './contrasts.ts';
import { headlineOf } from './headline.ts';
import { joinWords, type Phrase, phraseOf } from './phrase.ts';

/** The contrasts of one colour with one baseline, summarised in one sentence. */
export interface Finding extends ReportFinding {
  /** A summary over many panels in at most two lines: direction, range and count. */
  headline: string;
  contrasts: readonly Contrast[];
}

/** Maximum number of panels for which the sentence is also the headline. */
const maxPanelsInFull = 2;

/** Names of treatments in a sentence. */
export interface Names {
  /** The compared treatment. */
  colourOf(entry: ComparedTreatment): string;
  /** The treatment's other levels; empty if there are none. */
  rowOf(entry: ComparedTreatment): string;
}

type Named = {
  id: string;
  experimentId: number;
  treatment: Pick<Treatment, 'colourLabel' | 'rowLabel' | 'shortLabel'>;
};

/** Returns names as planned, with the experiment as a prefix if there are several. */
export function plannedNames(treatments: readonly Named[]): Names {
  const isOne = new Set(treatments.map(({ experimentId }) => experimentId)).size < 2;
  const inFront = (entry: ComparedTreatment) => (isOne ? '' : `E-${entry.experimentId} `);
  return {
    colourOf: (entry) => `${inFront(entry)}${entry.treatment.colourLabel}`,
    rowOf: (entry) => keepTogether(entry.treatment.rowLabel),
  };
}

/**
 * Returns one sentence for each colour, never stronger than the adjusted result. Resolved findings come
 * first; findings are then sorted by how clearly the interval excludes equality.
 */
export function findingsOf(
  metric: MetricDefinition,
  contrasts: readonly Contrast[],
  names: Names,
): Finding[] {
  const groups = Map.groupBy(
    contrasts,
    ({ treatment, baseline }) => `${names.colourOf(treatment)}\n${names.colourOf(baseline)}`,
  );
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (!first) return [];
      const differ = names.colourOf(first.treatment) !== names.colourOf(first.baseline);
      if (!differ) {
        return group.map((one) => sentenceOf(metric, [one], { ...wholeNames(one), family: contrasts }));
      }
      return sentenceOf(metric, group, {
        name: names.colourOf(first.treatment),
        other: names.colourOf(first.baseline),
        rowOf: ({ treatment }) => names.rowOf(treatment),
        family: contrasts,
      });
    })
    .sort((a, b) => weightOf(b) - weightOf(a));
}

/** Returns the finding for a single contrast. */
export function contrastSentence(contrast: Contrast, metric: MetricDefinition): string {
  return sentenceOf(metric, [contrast], wholeNames(contrast)).text;
}

/** Returns the full names of both sides, with their experiments if these differ. */
function wholeNames({ treatment, baseline }: Contrast): SentenceNames {
  const isOne = treatment.experimentId === baseline.experimentId;
  const nameOf = ({ experimentId, treatment: { shortLabel } }: ComparedTreatment) =>
    isOne ? shortLabel : `E-${experimentId} ${shortLabel}`;
  return { name: nameOf(treatment), other: nameOf(baseline), rowOf: () => '' };
}

/**
 * Returns the leading contrast: resolved or exact before open, then by distance from equality relative to the
 * interval's width.
 */
export function leadOf(contrasts: readonly Contrast[]): Contrast | null {
  return contrasts.reduce<Contrast | null>(
    (lead, one) => (lead === null || clarityOf(one) > clarityOf(lead) ? one : lead),
    null,
  );
}

function weightOf({ contrasts }: Finding): number {
  const lead = leadOf(contrasts);
  return lead ? clarityOf(lead) : 0;
}

const ranks: readonly (readonly Contrast['outcome'][])[] = [
  ['not measured', 'not comparable'],
  ['few'],
  ['same', 'open', 'leaning'],
  ['resolved', 'exact'],
];

/**
 * Returns the clarity of a contrast: the integer part ranks the outcome, and the fraction ranks contrasts
 * with the same outcome.
 */
function clarityOf({ outcome, scale, value, lo, hi }: Contrast): number {
  const rank = ranks.findIndex((outcomes) => outcomes.includes(outcome));
  if (value === null) return rank;
  const onScale = (one: number) => (scale === 'ratio' ? Math.log(one) : one);
  const distance = Math.abs(onScale(value));
  const width = lo === null || hi === null ? 0 : onScale(hi) - onScale(lo);
  return rank + distance / (distance + width + Number.MIN_VALUE) / 2;
}

interface SentenceNames {
  name: string;
  other: string;
  /** Empty if there are no rows. */
  rowOf(contrast: Contrast): string;
  /** All contrasts of the metric; by default, the contrasts in the sentence. */
  family?: readonly Contrast[];
}

function sentenceOf(metric: MetricDefinition, group: readonly Contrast[], names: SentenceNames): Finding {
  const finding = inFull(metric, group, names);
  // The full text states a difference for panels with too few runs; a headline does not.
  const isFewAmongOthers = group.length > 1 && group.some(({ outcome }) => outcome === 'few');
  const isSummarised = group.length > maxPanelsInFull || isFewAmongOthers;
  const headline = isSummarised ? headlineOf(metric, group, names) : finding.text;
  return { ...finding, headline, contrasts: group };
}

/** Lists every panel with its interval. */
function inFull(
  metric: MetricDefinition,
  group: readonly Contrast[],
  names: SentenceNames,
): Pick<Finding, 'kind' | 'text'> {
  const of = (...outcomes: Contrast['outcome'][]) =>
    group.filter(({ outcome }) => outcomes.includes(outcome));
  const claims = of('resolved', 'exact');
  const phrase = phraseOf(metric, [...claims, ...of('leaning', 'open', 'few')], names.family);
  const parts = [
    ...(claims.length > 0 ? [claimed(phrase, claims, names)] : []),
    ...of('leaning').map((one) => leaningPart(phrase, one, names)),
    ...(of('open').length > 0 ? [`no clear difference ${openRows(phrase, of('open'), names)}`] : []),
    ...restParts(phrase, of('same', 'few', 'not measured', 'not comparable'), names),
  ];
  const head = claims.length > 0 ? '' : `${names.name} against ${names.other}, ${phrase.noun}: `;
  const isKnown = of('leaning', 'open', 'same').length > 0;
  if (of('open').length === group.length) {
    const between = `between ${names.name} and ${names.other}`;
    const text = `No clear difference in ${phrase.noun} ${between} ${openRows(phrase, group, names)}.`;
    return { kind: 'open', text };
  }
  const kind = claims.length > 0 ? 'resolved' : isKnown ? 'open' : 'cannot';
  return { kind, text: `${head}${parts.join('; ')}.` };
}

/**
 * Returns, for example, "ChaCha20 uses 4.1 % [2.9, 5.3] less CPU at QoS 0 and 5 % [4, 6] less at QoS 1 than
 * AES".
 */
function claimed(phrase: Phrase, claims: readonly Contrast[], { name, other, rowOf }: SentenceNames): string {
  const of = phrase.isInTimes ? `the ${phrase.noun} of ${other}` : phrase.noun;
  const said = claims.map((one, index) => {
    const row = rowOf(one);
    return [phrase.size(one), ...(index === 0 ? [of] : []), ...(row === '' ? [] : [`at ${row}`])].join(' ');
  });
  const than = phrase.isInTimes ? '' : ` than ${other}`;
  const isExact = claims.every(({ outcome }) => outcome === 'exact');
  const alike = claims.some(({ method }) => method === 'Welch') ? 'run' : 'repetition';
  return `${name} ${phrase.verb(joinWords(said))} ${joinWords(said)}${than}${isExact ? `, the same in every ${alike}` : ''}`;
}

function leaningPart(phrase: Phrase, one: Contrast, { rowOf }: SentenceNames): string {
  return `${at(rowOf(one))}no clear difference: ${phrase.signed(one)} is not significant in this family of contrasts (Holm-adjusted p ${formatSignedP(one.p ?? 1)})`;
}

/** Lists open contrasts: "at QoS 0 (+2 % [−3, 7]) and QoS 1 (...)". */
function openRows(phrase: Phrase, open: readonly Contrast[], { rowOf }: SentenceNames): string {
  const said = open.map((one) => [rowOf(one), `(${phrase.signed(one)})`].filter(Boolean).join(' '));
  return `${open.some((one) => rowOf(one) !== '') ? 'at ' : ''}${joinWords(said)}`;
}

/** Returns one part for each reason for a missing claim. */
function restParts(phrase: Phrase, rest: readonly Contrast[], { rowOf }: SentenceNames): string[] {
  return [...Map.groupBy(rest, reasonOf)].map(([reason, group]) => {
    const rows = joinWords(group.map(rowOf).filter(Boolean));
    const valued = group.filter(({ outcome, value }) => outcome === 'few' && value !== null);
    const said = valued.map((one) =>
      [phrase.signed(one), group.length > 1 && rowOf(one) ? `at ${rowOf(one)}` : '']
        .filter(Boolean)
        .join(' '),
    );
    return `${at(rows)}${reason}${said.length > 0 ? `, and they differ by ${joinWords(said)}` : ''}`;
  });
}

/** Returns why there is no interval, as the end of a sentence. */
export function reasonOf({ outcome, runs, bases, flaggedSides, method }: Contrast): string {
  if (outcome === 'same') return 'every run of both treatments gave the same value';
  if (outcome === 'not comparable') return `not compared: ${bases.join(' and ')} figures`;
  if (outcome === 'not measured') {
    if (flaggedSides === 2) return 'neither treatment has a valid run';
    if (flaggedSides === 1) return 'one of the two treatments has no valid run';
    return 'not measured in both treatments';
  }
  if (outcome === 'exact') {
    return `the same in every ${method === 'Welch' ? 'run' : 'repetition'}, so there is no interval`;
  }
  if (outcome !== 'few') return '';
  const what = method === 'Welch' ? 'run' : 'repetition';
  const number = runs < 2 ? `only one ${what}` : `only two ${what}s`;
  return `${number} ${runs === 1 ? 'has' : 'have'} a valid value for both treatments, too few for an interval`;
}

/** Keeps a short level on one line: "1000 B", "QoS 0". */
function keepTogether(row: string): string {
  return row.length <= 12 ? row.replaceAll(' ', NBSP) : row;
}

function at(row: string): string {
  return row === '' ? '' : `at ${row} `;
}
