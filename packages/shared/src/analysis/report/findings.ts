import type { MetricDefinition } from '../../domain/metric.ts';
import type {
  ReportContrast,
  ReportEffect,
  ReportEstimate,
  ReportFinding,
  ReportResponse,
} from '../../domain/report.ts';
import { formatInterval } from '../../format/interval.ts';
import { NBSP } from '../../format/quantity.ts';
import { withSign } from './diagnostics.ts';
import { joinWords, nounOf, type Phrase, phraseOf, titleOf } from './phrase.ts';
import type { ReportContext } from './report-input.ts';

type Said = Pick<ReportResponse, 'contrasts' | 'effects' | 'estimates'>;

const alpha = 0.05;

/**
 * What the numbers of one metric let one say, never stronger than the interval: one sentence for each colour over
 * its rows, and one about interactions.
 */
export function findingsOf(
  context: ReportContext,
  metric: MetricDefinition,
  { contrasts, effects, estimates }: Said,
): ReportFinding[] {
  const treatments = new Map(context.plan.treatments.map((treatment) => [treatment.key, treatment]));
  const nameOf = (key: string) => treatments.get(key)?.colourLabel ?? key;
  const groups = Map.groupBy(
    contrasts,
    ({ treatment, baseline }) => `${nameOf(treatment)} ${nameOf(baseline)}`,
  );
  const sentences = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const differ = nameOf(first.treatment) !== nameOf(first.baseline);
    const name = (key: string) => (differ ? nameOf(key) : (treatments.get(key)?.shortLabel ?? key));
    return sentenceOf(metric, group, {
      name: name(first.treatment),
      other: name(first.baseline),
      rowOf: ({ treatment }) => (differ ? keepTogether(treatments.get(treatment)?.rowLabel ?? '') : ''),
    });
  });
  const alone =
    context.plan.treatments.length === 1 ? estimates.flatMap((own) => aloneFinding(metric, own)) : [];
  return [...alone, ...sentences, ...interactionFinding(metric, effects)];
}

/** Of a plan that compares nothing: what it found. */
function aloneFinding(metric: MetricDefinition, { n, mean, lo, hi }: ReportEstimate): ReportFinding[] {
  if (mean === null) return [];
  const { text } = formatInterval(
    { value: mean, lo: lo ?? undefined, hi: hi ?? undefined },
    { unit: metric.unit },
  );
  const runs = n === 1 ? 'one run, so without an interval' : `${n} runs`;
  return [
    {
      kind: 'open',
      text: `${titleOf(metric)}: ${text} over ${runs}. Nothing was varied, so nothing is compared.`,
    },
  ];
}

/** The interval leaves zero out and Holm agrees. */
export function isResolved(contrast: Pick<ReportContrast, 'lo' | 'hi' | 'p'>): boolean {
  return leavesZeroOut(contrast) && contrast.p !== null && contrast.p < alpha;
}

function leavesZeroOut({ lo, hi }: Pick<ReportContrast, 'lo' | 'hi'>): boolean {
  return lo !== null && hi !== null && (lo > 0 || hi < 0);
}

interface Names {
  name: string;
  other: string;
  /** Empty where there are no rows. */
  rowOf(contrast: ReportContrast): string;
}

function sentenceOf(metric: MetricDefinition, group: readonly ReportContrast[], names: Names): ReportFinding {
  const hasInterval = ({ lo, hi }: ReportContrast) => lo !== null && hi !== null;
  const known = group.filter(hasInterval);
  const resolved = known.filter(isResolved);
  const leaning = known.filter((entry) => !isResolved(entry) && leavesZeroOut(entry));
  const open = known.filter((entry) => !leavesZeroOut(entry));
  const phrase = phraseOf(
    metric,
    [...resolved, ...leaning],
    [...open, ...group.filter((entry) => !hasInterval(entry))],
  );
  const parts = [
    ...(resolved.length > 0 ? [claimed(phrase, resolved, names)] : []),
    ...leaning.map((entry) => leaningPart(phrase, entry, names)),
    ...(open.length > 0 ? [openPart(phrase, open, names)] : []),
    ...unknownParts(
      phrase,
      group.filter((entry) => !hasInterval(entry)),
      names,
    ),
  ];
  const head = resolved.length > 0 ? '' : `${names.name} against ${names.other}, ${phrase.noun}: `;
  const kind = resolved.length > 0 ? 'resolved' : known.length > 0 ? 'open' : 'cannot';
  return { kind, text: `${head}${parts.join('; ')}.` };
}

/** "ChaCha20 uses 4.1 % [2.9, 5.3] less CPU at QoS 0 and 5 % [4, 6] less at QoS 1 than AES". */
function claimed(phrase: Phrase, resolved: readonly ReportContrast[], { name, other, rowOf }: Names): string {
  const said = resolved.map((entry, index) => {
    const noun = index === 0 ? ` ${phrase.noun}` : '';
    const row = rowOf(entry);
    return `${phrase.size(entry)}${noun}${row === '' ? '' : ` at ${row}`}`;
  });
  return `${name} ${phrase.verb} ${joinWords(said)} than ${other}`;
}

function leaningPart(phrase: Phrase, entry: ReportContrast, { rowOf }: Names): string {
  const why = entry.p === null ? 'too few runs for a p-value' : `Holm p ${withSign(entry.p)}`;
  return `${at(rowOf(entry))}the interval leans to ${phrase.size(entry)}, which does not hold over this family of contrasts (${why})`;
}

/** "no difference was resolved at QoS 0 (+2 µs [−3, 7]) and QoS 1 (...)". */
function openPart(phrase: Phrase, open: readonly ReportContrast[], { rowOf }: Names): string {
  const said = open.map((entry) => [rowOf(entry), `(${phrase.signed(entry)})`].filter(Boolean).join(' '));
  return `no difference was resolved ${open.some(rowOf) ? 'at ' : ''}${joinWords(said)}`;
}

/** One part for each reason why there is no interval. */
function unknownParts(phrase: Phrase, unknown: readonly ReportContrast[], { rowOf }: Names): string[] {
  const reasons = Map.groupBy(unknown, ({ note, difference }) =>
    difference === 0
      ? 'every run gave the same value on both sides'
      : `there is no interval (${note ?? 'the two cannot be compared'})`,
  );
  return [...reasons].map(([reason, entries]) => {
    const rows = joinWords(entries.map(rowOf).filter(Boolean));
    const differs = entries.filter(({ difference }) => difference !== null && difference !== 0);
    const said = differs.map((entry) =>
      [phrase.signed(entry), rowOf(entry) ? `at ${rowOf(entry)}` : ''].filter(Boolean).join(' '),
    );
    const values = differs.length > 0 ? `; the means differ by ${joinWords(said)}` : '';
    return `${at(rows)}${reason}${values}`;
  });
}

function interactionFinding(metric: MetricDefinition, effects: readonly ReportEffect[]): ReportFinding[] {
  const judged = effects.filter(({ kind, lo, hi }) => kind === 'interaction' && lo !== null && hi !== null);
  const found = judged.filter(isResolved);
  if (judged.length === 0) return [];
  if (found.length === 0) {
    return [
      {
        kind: 'open',
        text: `No interaction in ${nounOf(metric)} was resolved: whether an effect is the same at every level is neither shown nor excluded.`,
      },
    ];
  }
  const differences = found.map(({ estimate, lo, hi }) => ({ difference: estimate, lo, hi }));
  const phrase = phraseOf(metric, [], differences);
  const said = differences.map((difference, index) => `${found[index]?.label} ${phrase.signed(difference)}`);
  return [
    {
      kind: 'resolved',
      text: `Effects on ${nounOf(metric)} depend on each other; beyond the sum of the main effects: ${said.join('; ')}.`,
    },
  ];
}

/** A short level stays on one line: "1000 B", "QoS 0". */
function keepTogether(row: string): string {
  return row.length <= 12 ? row.replaceAll(' ', NBSP) : row;
}

function at(row: string): string {
  return row === '' ? '' : `at ${row} `;
}
