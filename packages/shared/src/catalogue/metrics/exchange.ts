import { payloadBytesOf } from '../../domain/plans/trial-spec.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { resultsOf, sumOrNull, toMs } from '../evidence/evidence.ts';
import { enoughFor } from './latency.ts';

const base = {
  group: 'latency',
  unit: 'ms',
  quantity: 'positive',
  better: 'lower',
  role: 'publisher',
  resolution: { step: 0.001, share: 0.001 },
  source:
    'Only the publisher’s monotonic clock: due time of the message, and arrival of the last acknowledgement at the publisher’s own socket. Histogram with three significant digits.',
  bias: 'Higher than on the wire by the time that the publisher needs to write and read, as for latency. If the broker delays an acknowledgement to send several at once, the delay counts in full.',
} as const;

const counted =
  'from the due time of a message to its last acknowledgement at the publisher (PUBACK, PUBCOMP, CoAP response), measured with one clock';

/** Returns the histogram over all publisher devices; null if no message was answered. */
function exchangesOf(evidence: RunEvidence): LatencyHistogram | null {
  const [first, ...rest] = resultsOf(evidence, 'publisher').flatMap(
    ({ histograms }) => histograms.exchange ?? [],
  );
  if (first === undefined) return null;
  const all = LatencyHistogram.fromJson(first);
  for (const other of rest) all.merge(LatencyHistogram.fromJson(other));
  return all.count === 0 ? null : all;
}

function quantileMs(evidence: RunEvidence, p: number): number | null {
  const all = exchangesOf(evidence);
  return all === null || all.count < enoughFor(p) ? null : toMs(all.percentile(p));
}

export const exchangeMetrics: readonly MetricDefinition[] = [
  ...[50, 5, 25, 75, 95, 99].map(
    (p): MetricDefinition => ({
      ...base,
      id: `exchange.p${p}`,
      label: p === 50 ? 'Exchange, median' : `Exchange, P${p}`,
      help: `P${p} ${counted}. Needs at least ${enoughFor(p)} messages.`,
      from: (evidence) => quantileMs(evidence, p),
    }),
  ),
  {
    ...base,
    id: 'exchange.mean',
    label: 'Exchange, mean',
    help: `Mean ${counted}.`,
    from: (evidence) => toMs(exchangesOf(evidence)?.meanUs ?? null),
  },
  {
    ...base,
    id: 'exchange.max',
    label: 'Exchange, maximum',
    help: `Longest time ${counted}.`,
    from: (evidence) => toMs(exchangesOf(evidence)?.maxUs ?? null),
  },
  {
    ...base,
    group: 'traffic',
    better: 'higher',
    source: 'The planned payload size, and the median exchange time.',
    id: 'exchange.throughput',
    label: 'Payload over median exchange',
    unit: 'MB/min',
    help: 'Payload of one message in MB, divided by the median exchange time in minutes.',
    from: (evidence) => {
      const medianMs = quantileMs(evidence, 50);
      return medianMs === null || medianMs === 0
        ? null
        : payloadBytesOf(evidence.spec) / 1e6 / (medianMs / 60_000);
    },
  },
  {
    ...base,
    group: 'delivery',
    quantity: 'count',
    resolution: { step: 1 },
    source:
      'The kernel’s TCP_INFO (tcp(7)), read with ss(8) by local port when each connection closes. For CoAP: the publisher’s own count (RFC 7252 section 4.2).',
    bias: 'TCP also retransmits segments that were only late (RFC 8985), so the value can exceed the lost segments by a few. Unknown if the kernel did not report every connection.',
    id: 'wire.retransmitted',
    label: 'Retransmissions',
    unit: 'packets',
    help: 'TCP segments or CoAP messages that the publisher’s own connections retransmitted, including the warm-up. For TCP, measured only in runs over an impaired link.',
    from: (evidence) =>
      sumOrNull(
        resultsOf(evidence, 'publisher').map(({ environment, tcp }) => {
          const again = environment['wire.retransmitted'];
          return typeof again === 'number' ? again : (tcp?.connections?.retransmitted ?? null);
        }),
      ),
  },
];
