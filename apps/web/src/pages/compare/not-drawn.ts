import { runValues } from '@mqttlab/shared/analysis/run-values';
import { flagName, isFlaggedFor } from '@mqttlab/shared/catalogue/flags';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import { formatCount, plural } from '@mqttlab/shared/format/number';
import { inSentence } from '@mqttlab/shared/format/unit';

/**
 * Explains why a treatment has no value of a metric to draw: "flagged: messages lost". Returns null if it has
 * a value.
 */
export function whyNotDrawn(
  entry: ComparedTreatment,
  { metric, flagged }: { metric: MetricDefinition; flagged: boolean },
): string | null {
  if (runValues(entry, { metric: metric.id, flagged }).length > 0) return null;
  if (entry.runs.length === 0) return 'without a finished run';
  if (runValues(entry, { metric: metric.id, flagged: true }).length === 0) return 'not measured';
  return flaggedReason(entry, metric);
}

/** Returns "flagged: messages lost", which names the most frequent fault of the treatment's runs. */
export function flaggedReason({ runs }: ComparedTreatment, metric?: MetricDefinition): string {
  const faults = Map.groupBy(
    runs.filter((run) => isFlaggedFor(run, metric)).flatMap(({ failed = [] }) => failed),
    (id) => id,
  );
  const [most] = [...faults].sort(([, a], [, b]) => b.length - a.length);
  return most ? `flagged: ${inSentence(flagName({ id: most[0], label: most[0] }))}` : 'flagged';
}

/**
 * Counts treatments that a chart omits, by reason: "Not drawn: 13 of 16 treatments (11 flagged: messages
 * lost; 2 not measured)." `reasons` has one entry for each treatment, null if it is drawn. Returns '' if all
 * are drawn.
 */
export function describeNotDrawn(reasons: readonly (string | null)[], noun = 'treatment'): string {
  const missing = reasons.filter((reason) => reason !== null);
  if (missing.length === 0) return '';
  const counts = [...Map.groupBy(missing, (reason) => reason)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, all]) => `${formatCount(all.length)} ${reason}`);
  return `Not drawn: ${formatCount(missing.length)} of ${plural(reasons.length, noun)} (${counts.join('; ')}).`;
}
