import type { MetricDefinition } from '../../domain/metric.ts';
import type { ReportContrast } from '../../domain/report.ts';
import { inSentence } from '../../format/in-sentence.ts';
import { formatInterval } from '../../format/interval.ts';
import { NBSP } from '../../format/quantity.ts';
import { displayUnit } from '../../format/unit.ts';

/** Beyond it a ratio reads worse than the difference itself. */
const mostPercent = 300;
const usedUp: readonly MetricDefinition['group'][] = ['cpu', 'energy', 'memory'];

/** How differences of one metric are put into words. */
export interface Phrase {
  /** "uses", "has a" or "has", before the size. */
  verb: string;
  noun: string;
  /** "4.1 % [2.9, 5.3] less" */
  size(contrast: ReportContrast): string;
  /** "−0.2 ms [−0.5, 0.1]" */
  signed(contrast: Difference): string;
}

type Difference = Pick<ReportContrast, 'difference' | 'lo' | 'hi'>;

/**
 * In percent where, for every contrast that is told, the interval of the ratio says the same as that of the
 * difference; else in the metric's unit. What is shown as a difference shares one unit.
 */
export function phraseOf(
  metric: MetricDefinition,
  told: readonly ReportContrast[],
  shown: readonly Difference[] = [],
): Phrase {
  const { verb, more, less } = wordsOf(metric);
  const inPercent = told.every(agreesInPercent);
  // A percentage of a percentage would be misread.
  const unit = metric.unit === '%' ? 'percentage points' : metric.unit;
  return {
    verb,
    noun: nounOf(metric),
    size: (contrast) => {
      const { percent, percentLo, percentHi, difference, lo, hi } = contrast;
      const [value, from, to] = inPercent ? [percent, percentLo, percentHi] : [difference, lo, hi];
      const isBelow = (value ?? 0) < 0;
      const size = formatInterval(
        {
          value: Math.abs(value ?? 0),
          lo: isBelow ? -(to ?? 0) : (from ?? 0),
          hi: isBelow ? -(from ?? 0) : (to ?? 0),
        },
        { unit: inPercent ? '%' : unit },
      ).text;
      return `${size} ${isBelow ? less : more}`;
    },
    signed: ({ difference, lo, hi }) => {
      const display = displayUnit(largestOf([...shown, { difference, lo, hi }]), unit);
      const times = (value: number | null) => (value === null ? undefined : value * display.multiplier);
      const { value, interval } = formatInterval(
        { value: times(difference) ?? 0, lo: times(lo), hi: times(hi) },
        { unitInHead: true, signed: true },
      );
      return [value, display.unit, interval].filter(Boolean).join(NBSP);
    },
  };
}

function largestOf(differences: readonly Difference[]): number {
  return Math.max(
    ...differences
      .flatMap(({ difference, lo, hi }) => [difference, lo, hi])
      .map((value) => Math.abs(value ?? 0)),
  );
}

const plural =
  /\b(bytes|frames|connections|handshakes|segments|messages|cycles|references|misses|instructions|attempts)\b/;

/** "uses 5 % more CPU", "has a 5 % longer TLS handshake", "has 5 % more wire bytes", "has a 5 % higher latency". */
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

function agreesInPercent({ percent, percentLo, percentHi, difference, lo, hi }: ReportContrast): boolean {
  if (percent === null || percentLo === null || percentHi === null) return false;
  if (difference === null || lo === null || hi === null) return false;
  return (
    Math.abs(percent) < mostPercent &&
    percent > 0 === difference > 0 &&
    percentLo > 0 === lo > 0 &&
    percentHi < 0 === hi < 0
  );
}

/** "Latency, median" reads "median latency", "CPU, broker" "CPU at the broker", "Lost" of messages "lost messages". */
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

/** The same as a heading: "Median latency". */
export function titleOf(metric: Pick<MetricDefinition, 'label'> & { unit?: string }): string {
  const noun = nounOf(metric);
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
