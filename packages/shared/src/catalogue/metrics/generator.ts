import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { resultOf, toMs } from '../evidence/evidence.ts';

const base = {
  group: 'generator',
  unit: 'ms',
  quantity: 'positive',
  resolution: { step: 0.001, share: 0.001 },
  better: 'lower',
  role: 'publisher',
  source: 'The publisher’s monotonic clock: due time in the schedule, and time of the write to its socket.',
  bias: 'With or without TLS, excludes the time between the write and the first bit on the wire.',
} as const;

export const generatorMetrics: readonly MetricDefinition[] = [50, 99].map((p) => ({
  ...base,
  id: `lateness.p${p}`,
  label: `Lateness, P${p}`,
  help: `P${p} of the delay between the scheduled and the actual write of a message.`,
  from: (evidence) => {
    const histogram = resultOf(evidence, 'publisher')?.lateness;
    return histogram ? toMs(LatencyHistogram.fromJson(histogram).percentile(p)) : null;
  },
}));
