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
    'The publisher’s monotonic clock alone: due time of the message, and when its own socket hands the last acknowledgement over. Histogram of three significant digits.',
  bias: 'Too high against the wire by what the publisher needs to write and to read, as latency is; an acknowledgement that the broker delays to send several at once counts in full.',
} as const;

const counted =
  'from the due time of a message to its last acknowledgement at the publisher (PUBACK, PUBCOMP, CoAP response), by one clock';

/** Of all publishers' devices together; null where nothing was answered. */
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
      help: `P${p} ${counted}; shown from ${enoughFor(p)} messages on.`,
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
    help: `Longest ${counted}.`,
    from: (evidence) => toMs(exchangesOf(evidence)?.maxUs ?? null),
  },
  {
    ...base,
    group: 'traffic',
    better: 'higher',
    source: 'The payload size that was asked for, and the median exchange.',
    id: 'exchange.throughput',
    label: 'Payload over median exchange',
    unit: 'MB/min',
    help: 'Payload of one message in MB over the median exchange in minutes.',
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
      'TCP_INFO of the kernel (tcp(7)), read with ss(8) by local port when each connection is closed; of CoAP the publisher’s own count (RFC 7252 section 4.2).',
    bias: 'TCP also sends late segments again (RFC 8985): up to a few segments more than were lost. Unknown if the kernel did not report every connection.',
    id: 'wire.retransmitted',
    label: 'Sent again',
    unit: 'packets',
    help: 'TCP segments or CoAP messages that the publisher’s own connections sent again, warm-up included; TCP is looked at in runs over an impaired link.',
    from: (evidence) =>
      sumOrNull(
        resultsOf(evidence, 'publisher').map(({ environment, tcp }) => {
          const again = environment['wire.retransmitted'];
          return typeof again === 'number' ? again : (tcp?.connections?.retransmitted ?? null);
        }),
      ),
  },
];
