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

/** For each second in which they arrived. */
function perSecond(evidence: RunEvidence, unit: 'messages' | 'payloadBytes', each = 1): number | null {
  const found = deliveriesWhileMeasuring(evidence);
  const rate = found && ratioOf(found[unit], found.seconds);
  return rate === null ? null : rate * each;
}

/** Handed over from the start of measuring to the end of the drain, to which wire bytes are counted. */
function sentToTheEnd(evidence: RunEvidence): number | null {
  const sent = sentOf(evidence);
  return sent === null
    ? countOf(evidence, 'publisher', 'sent')
    : sent.firstHalf + sent.secondHalf + sent.afterwards;
}

const windowed =
  'while measuring, for each second of it; of a stream that ends after so many messages from its first arrival to its last';

const rate = {
  group: 'traffic',
  quantity: 'positive',
  better: 'higher',
  role: 'subscriber',
  resolution: { oneOf: 'count.received' },
  source:
    'Count of different messages at the subscriber’s own sockets, by the stamps in their payloads, counted against the agreed instants on the testbed clock; of CoAP the responses at the publisher.',
  bias: 'Arrival is when the event loop takes the bytes over, a little after the wire has them.',
} as const;
/** Bytes of the publisher. */
const wire = {
  ...rate,
  resolution: 'exact',
  source:
    'Bytes written to and read from the publisher’s own TCP sockets (UDP payload for CoAP), below TLS; no headers of TCP, IP or Ethernet, and nothing that the kernel sent again.',
  bias: 'What is under way when the measure phase begins is counted in it, as much as is under way at its end is not.',
} as const;
const count = {
  group: 'delivery',
  unit: 'messages',
  quantity: 'count',
  better: 'lower',
  role: 'subscriber',
  resolution: { step: 1 },
  source:
    'Stamps in the payloads (publisher, sequence, due time), counted by publisher and subscriber themselves.',
  bias: null,
} as const;

export const deliveryMetrics: readonly MetricDefinition[] = [
  {
    ...rate,
    id: 'rate.messages',
    label: 'Message rate',
    unit: 'msg/s',
    help: `Different messages that arrived ${windowed}.`,
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
    help: 'Bytes below TLS, both directions, at the publisher while measuring and draining, for each message.',
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
    help: 'Bytes sent below TLS by the publisher over payload bytes sent.',
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
    help: 'Measured messages handed to the socket.',
    from: (evidence) => countOf(evidence, 'publisher', 'sent'),
  },
  {
    ...count,
    better: 'higher',
    id: 'count.received',
    label: 'Received',
    help: 'Different measured messages that arrived; of CoAP requests those that were answered.',
    from: (evidence) => deliveriesCounted(evidence),
  },
  {
    ...count,
    id: 'count.lost',
    label: 'Lost',
    help: 'Sent but not received by the end of the drain, without those discarded because their identifier was in use.',
    from: lostOf,
  },
  ...(
    [
      ['duplicate', 'Duplicate', 'Messages that arrived again.', 'subscriber'],
      ['reordered', 'Reordered', 'Messages that arrived after a later one of their publisher.', 'subscriber'],
      [
        'identifierReused',
        'Discarded, identifier in use',
        'Messages at QoS 2 that arrived under a packet identifier whose handshake was still open, and that MQTT demands to discard: the broker reused the identifier too early.',
        'subscriber',
      ],
      ['late', 'Late', 'Messages sent more than 1 ms behind their due time.', 'publisher'],
      ['unsent', 'Unsent', 'Messages due while measuring that were never sent.', 'publisher'],
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
