import type { ReportContrast } from '../../domain/report.ts';
import { cliffsDelta, standardisedDifference } from '../../statistics/effect-size.ts';
import { hedgesInterval } from '../../statistics/effect-size-interval.ts';
import { pairedRatioInterval, ratioInterval } from '../../statistics/ratio.ts';
import type { Contrast } from '../contrasts.ts';
import { runValues, type ValueChoice } from '../run-values.ts';

/** null beside a baseline so near to zero that the ratio has no number. */
function percentOf(ratio: number): number | null {
  const percent = (ratio - 1) * 100;
  return Number.isFinite(percent) ? percent : null;
}

/** A contrast as the report tells it: in the metric's unit, in percent, and as an effect size. */
export function contrastRow(
  contrast: Contrast,
  choice: ValueChoice,
  { effectSizes }: { effectSizes: boolean },
): ReportContrast {
  const a = runValues(contrast.treatment, choice).map((entry) => entry.value);
  const b = runValues(contrast.baseline, choice).map((entry) => entry.value);
  const g = effectSizes && contrast.difference !== null ? hedgesInterval(a, b) : null;
  const ratio = contrast.method === 'paired by repetition' ? pairedRatioInterval(a, b) : ratioInterval(a, b);
  const isKnown = contrast.difference !== null;
  return {
    treatment: contrast.treatment.id,
    baseline: contrast.baseline.id,
    difference: contrast.difference,
    lo: contrast.lo,
    hi: contrast.hi,
    percent: isKnown && ratio ? percentOf(ratio.ratio) : null,
    percentLo: isKnown && ratio ? percentOf(ratio.lo) : null,
    percentHi: isKnown && ratio ? percentOf(ratio.hi) : null,
    cohensD: isKnown ? standardisedDifference(a, b).cohensD : null,
    hedgesG: contrast.hedgesG,
    gLo: g?.lo ?? null,
    gHi: g?.hi ?? null,
    // Of one run against one it is always all or nothing.
    cliffsDelta: isKnown && Math.min(a.length, b.length) > 1 ? cliffsDelta(a, b) : null,
    p: contrast.p,
    method: contrast.method,
    runs: contrast.runs,
    note: noteOf(contrast, { a, b }),
  };
}

function noteOf(
  { method, difference, bases, treatment, baseline }: Contrast,
  { a, b }: { a: readonly number[]; b: readonly number[] },
): string | null {
  const without = [treatment, baseline].filter(({ runs }) => runs.length === 0).length;
  if (without > 0) return `no run that counts on ${without === 2 ? 'either side' : 'one side'}`;
  if (a.length === 0 || b.length === 0) return 'not measured on both sides';
  if (method === 'not comparable') return `not compared: ${bases.join(' and ')} figures`;
  if (difference === null) return 'the two cannot be compared';
  if (method === 'no variance') return 'every run gave the same value, so there is no interval';
  if (method === 'not enough runs') {
    const short = Math.min(a.length, b.length);
    return `${short === 1 ? 'one valid run' : `${short} valid runs`} on a side: no interval from so few`;
  }
  return Math.min(a.length, b.length) < 3 ? 'two runs on a side: an interval, but no p-value' : null;
}
