import type { Contrast } from '@mqttlab/shared/analysis/contrasts';
import { contrastSentence } from '@mqttlab/shared/analysis/sentence';
import type { MetricDefinition } from '@mqttlab/shared/domain/metric';

type Judged = { contrasts: readonly Contrast[]; metric: MetricDefinition };

/** Why nothing can be drawn, in one sentence. */
export function describeNothing({ contrasts }: Pick<Judged, 'contrasts'>): string {
  if (contrasts.length === 0) return 'There is no treatment here to hold against a baseline.';
  const methods = new Set(contrasts.map(({ method }) => method));
  if (methods.has('not comparable'))
    return 'These figures rest on different grounds, so no difference is given.';
  if (methods.has('no variance')) {
    return 'Every run of a treatment gave the same value: there is no spread, and so no interval to draw.';
  }
  return 'Two valid runs of a treatment and of its baseline are needed for an interval.';
}

/** What the picture leaves out, and why; '' where it shows everything. */
export function describeLeftOut({ contrasts, metric }: Judged): string {
  const of = (method: Contrast['method']) => contrasts.filter((one) => one.method === method);
  const [apart, alike, few] = [of('not comparable'), of('no variance'), of('not enough runs')];
  const [first] = apart;
  return [
    // Figures of different bases are never compared: one sentence says so.
    ...(first ? [`${apart.length} not compared. ${contrastSentence(first, metric)}`] : []),
    ...(alike.length > 0 ? [`${alike.length} without an interval: every run gave the same value.`] : []),
    ...(few.length > 0 ? [`${few.length} left out: fewer than two valid runs on a side.`] : []),
  ].join(' ');
}
