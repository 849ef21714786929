import type { Contrast } from '@mqttlab/shared/analysis/contrasts';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import { contrastSentence, reasonOf } from '@mqttlab/shared/analysis/findings';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';

type Judged = { contrasts: readonly Contrast[]; metric: MetricDefinition };

/** Why nothing can be drawn, in one sentence. */
export function describeNothing({ contrasts }: Pick<Judged, 'contrasts'>): string {
  if (contrasts.length === 0) return 'There is no treatment here to hold against a baseline.';
  const [first] = contrasts;
  const outcomes = new Set(contrasts.map(({ outcome }) => outcome));
  if (outcomes.has('not comparable')) {
    return 'These figures rest on different grounds, so no difference is given.';
  }
  if (outcomes.has('few')) {
    return `${minRuns} valid runs of a treatment and of its baseline are needed for an interval.`;
  }
  return first ? `Nothing to draw: ${reasonOf(first)}.` : '';
}

/** What the picture leaves out, and why; '' where it shows everything. */
export function describeLeftOut({ contrasts, metric }: Judged): string {
  const of = (outcome: Contrast['outcome']) => contrasts.filter((one) => one.outcome === outcome);
  const [apart, alike, few] = [of('not comparable'), of('same'), of('few')];
  const [first] = apart;
  return [
    // Figures of different bases are never compared: one sentence says so.
    ...(first ? [`${apart.length} not compared. ${contrastSentence(first, metric)}`] : []),
    ...(alike.length > 0 ? [`${alike.length} the same as the baseline in every run.`] : []),
    ...(few.length > 0 ? [`${few.length} left out: fewer than ${minRuns} valid runs on a side.`] : []),
  ].join(' ');
}
