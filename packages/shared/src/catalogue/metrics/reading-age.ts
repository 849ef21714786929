import type { HistogramJson } from '../../domain/runs/role-result.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { latencyKind, resultOf, toMs } from '../evidence/evidence.ts';
import { enoughFor } from './latency.ts';

const base = {
  group: 'latency',
  unit: 'ms',
  quantity: 'positive',
  better: 'lower',
  role: 'subscriber',
  resolution: { step: 0.001, share: 0.001 },
  source:
    'Latency of the message, and the scheduled time between each reading and the due time of its message. Histogram with three significant digits.',
  bias: 'The same as for latency. Readings are assumed to occur at an even rate.',
} as const;
const meaning = 'the latency of its message plus the time that the reading waited in its batch';

/** Returns the age of every reading; null if one-way latency, on which it depends, is not reliable. */
function ageOf(evidence: Parameters<MetricDefinition['from']>[0]): HistogramJson | null {
  if (latencyKind(evidence) !== 'one-way') return null;
  return resultOf(evidence, 'subscriber')?.histograms.readingAge ?? null;
}

export const readingAgeMetrics: readonly MetricDefinition[] = [
  {
    ...base,
    id: 'readingAge.mean',
    label: 'Reading age, mean',
    help: `Mean over readings: ${meaning}.`,
    from: (evidence) => {
      const age = ageOf(evidence);
      return age && age.count > 0 ? age.sum / age.count / 1000 : null;
    },
  },
  ...[50, 95].map(
    (p): MetricDefinition => ({
      ...base,
      id: `readingAge.p${p}`,
      label: p === 50 ? 'Reading age, median' : `Reading age, P${p}`,
      help: `P${p} over readings: ${meaning}.`,
      from: (evidence) => {
        const age = ageOf(evidence);
        if (!age || age.count < enoughFor(p)) return null;
        return toMs(LatencyHistogram.fromJson(age).percentile(p));
      },
    }),
  ),
];
