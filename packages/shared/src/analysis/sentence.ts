import type { MetricDefinition } from '../domain/metric.ts';
import { inSentence } from '../format/in-sentence.ts';
import { formatInterval } from '../format/interval.ts';
import type { Contrast } from './contrasts.ts';

/** One plain sentence for a contrast, never stronger than its interval. */
export function contrastSentence(contrast: Contrast, metric: MetricDefinition): string {
  const { treatment, baseline, difference, lo, hi } = contrast;
  const name = treatment.treatment.shortLabel;
  const other = baseline.treatment.shortLabel;
  const what = inSentence(metric.label);
  if (contrast.method === 'not comparable') {
    return `${name} and ${other}: ${what} rests on different grounds (${contrast.bases.join(', ')}) and is not compared.`;
  }
  if (difference === null) return `${name} and ${other}: ${what} was not measured on both.`;
  const { unit } = metric;
  if (contrast.method === 'no variance') {
    const by = formatInterval({ value: difference }, { unit, signed: true }).text;
    return difference === 0
      ? `${name} and ${other}: ${what} was the same in every run.`
      : `${name}: ${what} differs from ${other} by ${by} in every run alike.`;
  }
  if (lo === null || hi === null) {
    return `${name}: too few valid runs to tell its ${what} from that of ${other}.`;
  }
  const size = formatInterval(
    { value: Math.abs(difference), lo: difference < 0 ? -hi : lo, hi: difference < 0 ? -lo : hi },
    { unit },
  ).text;
  if (lo <= 0 && hi >= 0) {
    const bounds = formatInterval({ value: difference, lo, hi }, { unit, signed: true }).text;
    return `${name} against ${other}: no difference in ${what} was resolved (${bounds}).`;
  }
  return `${name}: ${what} is ${size} ${difference > 0 ? 'higher' : 'lower'} than with ${other}.`;
}
