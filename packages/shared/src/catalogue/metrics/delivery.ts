import { payloadBytesOf } from '../../domain/plans/trial-spec.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import {
  countOf,
  deliveriesCounted,
  lostOf,
  phaseOf,
  ratioOf,
  sumOrNull,
  wireBytesOf,
} from '../evidence/evidence.ts';
import { deliveriesWhileMeasuring, messagesSent, sentOf } from '../evidence/throughput-evidence.ts';

/** Returns deliveries per second of their arrival window. */
function perSecond(evidence: RunEvidence, unit: 'messages' | 'payloadBytes', each = 1): number | null {
  const deliveries = deliveriesWhileMeasuring(evidence);
  const rate = deliveries && ratioOf(deliveries[unit], deliveries.seconds);
  return rate === null ? null : rate * each;
}

/**
 * Returns the number of messages sent from the start of the measure phase to the end of the drain, as counted
 * in the wire bytes.
 */
function sentToTheEnd(evidence: RunEvidence): number | null {
  const sent = sentOf(evidence);
  return sent === null
    ? countOf(evidence, 'publisher', 'sent')
    : sent.firstHalf + sent.secondHalf + sent.afterwards;
}

const windowed =
  'per second of the measure phase. For a stream with a fixed number of messages: from its first to its last arrival';

const rate = {
  group: 'traffic',
  quantity: 'positive',
  better: 'higher',
  role: 'subscriber',
  resolution: { oneOf: 'count.received' },
  source:
    'Distinct messages received on the subscriber’s own sockets, identified by the stamps in their payloads and assigned to phases by the testbed clock. For CoAP: the responses that the publisher received.',
  bias: 'A message arrives when the event loop receives its bytes, slightly later than on the wire.',
} as const;
/** Bytes sent and received by the publisher. */
const wire = {
  ...rate,
  resolution: 'exact',
  source:
    'Bytes written to and read from the publisher’s own TCP sockets (UDP payload for CoAP), below TLS, without TCP, IP or Ethernet headers and without retransmissions.',
  bias: 'Includes data in flight at the start of the measure phase and excludes data in flight at its end.',
} as const;
const count = {
  group: 'delivery',
  unit: 'messages',
  quantity: 'count',
  better: 'lower',
  role: 'subscriber',
  resolution: { step: 1 },
  source: 'Stamps in the payloads (publisher, sequence, due time), counted by publisher and subscriber.',
  bias: null,
} as const;

export const deliveryMetrics: readonly MetricDefinition[] = [
  {
    ...rate,
    id: 'rate.messages',
    label: 'Message rate',
    unit: 'msg/s',
    help: `Distinct messages that arrived ${windowed}.`,
    from: (evidence) => perSecond(evidence, 'messages'),
  },
  {
    ...rate,
    id: 'rate.readings',
    label: 'Reading rate',
    unit: 'readings/s',
    help: `Readings that arrived ${windowed}.`,
    from: (evidence) => perSecond(evidence, 'messages', evidence.spec.readingsPerMessage),
  },
  {
    ...rate,
    id: 'rate.goodput',
    label: 'Goodput',
    unit: 'bit/s',
    help: `Payload bits that arrived ${windowed}.`,
    from: (evidence) => perSecond(evidence, 'payloadBytes', 8),
  },
  {
    ...wire,
    better: 'lower',
    role: 'publisher',
    id: 'wire.perMessage',
    label: 'Wire bytes per message',
    unit: 'B',
    help: 'Bytes below TLS, in both directions, at the publisher in the measure phase and the drain, per message.',
    from: (evidence) => {
      const load = (['measure', 'drain'] as const).map((phase) => phaseOf(evidence, 'publisher', phase));
      const bytes = load.flatMap((record) => (record ? [wireBytesOf(record)] : []));
      return ratioOf(sumOrNull(bytes), sentToTheEnd(evidence));
    },
  },
  {
    ...wire,
    better: 'lower',
    role: 'publisher',
    id: 'wire.overhead',
    label: 'Wire overhead ratio',
    unit: '×',
    help: 'Bytes that the publisher sent below TLS, divided by its payload bytes.',
    from: (evidence) => {
      const messages = messagesSent(evidence);
      const payload = messages === null ? null : messages * payloadBytesOf(evidence.spec);
      return ratioOf(phaseOf(evidence, 'publisher', 'measure')?.bytesSent, payload);
    },
  },
  {
    ...count,
    better: 'higher',
    role: 'publisher',
    id: 'count.sent',
    label: 'Sent',
    help: 'Measured messages written to the socket.',
    from: (evidence) => countOf(evidence, 'publisher', 'sent'),
  },
  {
    ...count,
    better: 'higher',
    id: 'count.received',
    label: 'Received',
    help: 'Distinct measured messages that arrived. For CoAP: answered requests.',
    from: (evidence) => deliveriesCounted(evidence),
  },
  {
    ...count,
    id: 'count.lost',
    label: 'Lost',
    help: 'Messages sent but not received by the end of the drain. Messages discarded because their identifier was in use are counted separately.',
    from: lostOf,
  },
  ...(
    [
      ['duplicate', 'Duplicate', 'Messages that arrived again.', 'subscriber'],
      [
        'reordered',
        'Reordered',
        'Messages that arrived after a later one from their publisher.',
        'subscriber',
      ],
      [
        'identifierReused',
        'Discarded, identifier in use',
        'QoS 2 messages that arrived with a packet identifier whose handshake was still open. The broker reused the identifier too early, and MQTT requires the receiver to discard such messages.',
        'subscriber',
      ],
      ['late', 'Late', 'Messages sent more than 1 ms after their due time.', 'publisher'],
      ['unsent', 'Unsent', 'Messages due in the measure phase that were never sent.', 'publisher'],
    ] as const
  ).map(
    ([counter, label, help, role]): MetricDefinition => ({
      ...count,
      role,
      id: `count.${counter}`,
      label,
      help,
      from: (evidence) => countOf(evidence, role, counter),
    }),
  ),
];
