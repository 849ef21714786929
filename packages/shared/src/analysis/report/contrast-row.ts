import type { ReportContrast } from '../../domain/report/report.ts';
import {
  cliffsDelta,
  hedgesInterval,
  standardisedDifference,
} from '../../statistics/comparisons/effect-size.ts';
import type { Contrast } from '../contrasts.ts';
import { reasonOf } from '../findings.ts';

/** A contrast as the report tells it, with effect sizes. */
export function contrastRow(contrast: Contrast): ReportContrast {
  const { treatment: a, baseline: b } = contrast.values;
  const { scale, value, lo, hi, inUnits, outcome, hedgesG, p, method, runs, unpaired } = contrast;
  const isKnown = value !== null && Math.min(a.length, b.length) > 1;
  const g = hedgesG === null ? null : hedgesInterval(a, b);
  return {
    treatment: contrast.treatment.id,
    baseline: contrast.baseline.id,
    scale,
    value,
    lo,
    hi,
    inUnits,
    outcome,
    cohensD: isKnown ? standardisedDifference(a, b).cohensD : null,
    hedgesG,
    gLo: g?.lo ?? null,
    gHi: g?.hi ?? null,
    cliffsDelta: isKnown ? cliffsDelta(a, b) : null,
    p,
    method,
    runs,
    note: reasonOf(contrast) || describeUnpaired(unpaired, runs),
  };
}

function describeUnpaired(unpaired: number, runs: number): string | null {
  if (unpaired === 0) return null;
  const pairs = `paired by the ${runs} repetitions that both have`;
  return `${pairs}, ${unpaired} ${unpaired === 1 ? 'run' : 'runs'} without a partner`;
}
