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
  verb: 'uses' | 'has a';
  noun: string;
  /** "4.1 % [2.9, 5.3] less" */
  size(contrast: ReportContrast): string;
  /** "−0.2 ms [−0.5, 0.1]" */
  signed(contrast: Pick<ReportContrast, 'difference' | 'lo' | 'hi'>): string;
}

/**
 * In percent where, for every contrast that is told, the interval of the ratio says the same as that of the
 * difference; else in the metric's unit.
 */
export function phraseOf(metric: MetricDefinition, told: readonly ReportContrast[]): Phrase {
  const uses = usedUp.includes(metric.group);
  const inPercent = told.every(agreesInPercent);
  // A percentage of a percentage would be misread.
  const unit = metric.unit === '%' ? 'percentage points' : metric.unit;
  return {
    verb: uses ? 'uses' : 'has a',
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
      if (uses) return `${size} ${isBelow ? 'less' : 'more'}`;
      return `${size} ${isBelow ? 'lower' : 'higher'}`;
    },
    signed: ({ difference, lo, hi }) => {
      const largest = Math.max(...[difference, lo, hi].map((value) => Math.abs(value ?? 0)));
      const display = displayUnit(largest, unit);
      const times = (value: number | null) => (value === null ? undefined : value * display.multiplier);
      const { value, interval } = formatInterval(
        { value: times(difference) ?? 0, lo: times(lo), hi: times(hi) },
        { unitInHead: true, signed: true },
      );
      return [value, display.unit, interval].filter(Boolean).join(NBSP);
    },
  };
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

/** "Latency, median" reads "median latency", "CPU, broker" reads "CPU at the broker". */
export function nounOf({ label }: Pick<MetricDefinition, 'label'>): string {
  const [noun = label, kind] = label.split(', ');
  const first = inSentence(noun);
  if (kind === undefined) return first;
  return /^(publisher|subscriber|broker)$/.test(kind)
    ? `${first} at the ${kind}`
    : `${inSentence(kind)} ${first}`;
}

export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
