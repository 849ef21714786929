import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { formatCount } from '../../format/number.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { latencyOf, toMs } from '../evidence/evidence.ts';

/** A quantile is shown if at least this many messages are beyond it. */
const beyond = 10;

const base = {
  group: 'latency',
  unit: 'ms',
  quantity: 'positive',
  better: 'lower',
  role: 'subscriber',
  // Microseconds in a histogram with three significant digits.
  resolution: { step: 0.001, share: 0.001 },
  source:
    'Due time on the publisher’s monotonic clock, stamped into the payload, and arrival at the subscriber’s own socket, on its monotonic clock. Between two devices, the offset between their clocks is subtracted (host times of RFC 7679 section 3.7.2). Histogram with three significant digits.',
  bias: 'Higher than on the wire by the time that the two programs need to wait for the due time, write, process TLS and run the subscriber’s event loop. Over loopback on an idle machine with two cores, this is 0.20 ms of the median for plain TCP and 0.24 to 0.32 ms for TLS at 100 messages/s, and 0.07 ms at 1,000 messages/s. Other programs that use more than 5 % of all cores lengthen P95 (by a factor of four at 10 to 20 %, of seven above) but not the median.',
} as const;

function quantileMs(p: number): MetricDefinition['from'] {
  return (evidence) => {
    const histogram = latencyOf(evidence);
    if (!histogram || histogram.count < enoughFor(p)) return null;
    return toMs(LatencyHistogram.fromJson(histogram).percentile(p));
  };
}

/** Returns the number of messages needed to show quantile `p` (in percent). */
export function enoughFor(p: number): number {
  // The value is rounded first: in floating point, 10 / (1 - 0.999) is slightly more than 10,000.
  return p >= 100 ? 1 : Math.ceil(Number((beyond / (1 - Math.max(p, 100 - p) / 100)).toFixed(6)));
}

function fromHistogram(pick: (histogram: LatencyHistogram) => number | null): MetricDefinition['from'] {
  return (evidence: RunEvidence) => {
    const histogram = latencyOf(evidence);
    return histogram ? toMs(pick(LatencyHistogram.fromJson(histogram))) : null;
  };
}

const intended =
  'from the intended send time to arrival at the subscriber (or back at the publisher if only its clock is reliable), including decryption';

export const latencyMetrics: readonly MetricDefinition[] = [
  { ...base, id: 'latency.p50', label: 'Latency, median', help: `Median ${intended}.`, from: quantileMs(50) },
  {
    ...base,
    id: 'latency.mean',
    label: 'Latency, mean',
    help: `Mean ${intended}.`,
    from: fromHistogram((histogram) => histogram.meanUs),
  },
  {
    ...base,
    id: 'latency.sd',
    label: 'Latency, standard deviation',
    help: `Standard deviation over messages, ${intended}.`,
    from: fromHistogram((histogram) => histogram.sdUs),
  },
  {
    ...base,
    id: 'latency.min',
    label: 'Latency, minimum',
    help: `Fastest message, ${intended}.`,
    from: fromHistogram((histogram) => histogram.minUs),
  },
  ...[5, 25, 75, 95, 99, 99.9].map(
    (p): MetricDefinition => ({
      ...base,
      id: `latency.p${String(p).replace('.', '')}`,
      label: `Latency, P${p}`,
      help: `P${p} ${intended}. Needs at least ${formatCount(enoughFor(p))} messages.`,
      from: quantileMs(p),
    }),
  ),
  {
    ...base,
    id: 'latency.max',
    label: 'Latency, maximum',
    help: `Slowest message, ${intended}.`,
    from: fromHistogram((histogram) => histogram.maxUs),
  },
];
