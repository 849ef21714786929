import type { HistogramName, StateBytes } from '../../domain/runs/role-result.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { countOf, phaseOf, ratioOf, resultOf, sumOrNull, toMs, wireBytesOf } from '../evidence/evidence.ts';
import { carriesMessages } from '../workloads.ts';
import { enoughFor } from './latency.ts';

const base = {
  group: 'set-up',
  quantity: 'positive',
  better: 'lower',
  role: 'publisher',
  resolution: { step: 0.001, share: 0.001 },
  source:
    'The publisher’s monotonic clock at its own sockets: connect(2), secureConnect of TLS, CONNACK. Histogram with three significant digits.',
  bias: 'Higher than on the wire by the time until the event loop processes a response. Simultaneous connections wait for each other in the event loop.',
} as const;
/** Bytes as in captured frames, computed from the kernel's counters. */
const counted = {
  ...base,
  resolution: 'exact',
  source:
    'Bytes of the publisher’s own socket, below TLS, and segments from the kernel’s TCP_INFO (tcp(7), ss(8)), 0.3 s after the state was reached. Header sizes are derived from the connection’s TCP options.',
  bias: 'Equal to a capture if nothing was lost; retransmissions are counted again. Excludes the Ethernet trailer, preamble and gap.',
} as const;
const counters = {
  ...base,
  resolution: { step: 1 },
  source: 'The publisher’s own count.',
  bias: null,
} as const;

/**
 * Returns the number of connections that the workload opened in the measure phase; null if it keeps its
 * connections open.
 */
function opened(evidence: RunEvidence): number | null {
  // An attacker's connections are not timed.
  if (evidence.spec.workload === 'availability') return null;
  return countOf(evidence, 'publisher', 'connectionsOpened') || null;
}

/**
 * Returns the number of connections opened as fast as possible; null for the workload "states", which pauses
 * between its steps.
 */
function openedAtOnce(evidence: RunEvidence): number | null {
  return evidence.spec.workload === 'states' ? null : opened(evidence);
}

const timed: readonly { phase: string; name: HistogramName; label: string }[] = [
  { phase: 'setUp', name: 'phase.set-up', label: 'Connection set-up' },
  { phase: 'tcp', name: 'phase.tcp', label: 'TCP handshake' },
  { phase: 'tls', name: 'phase.tls', label: 'TLS handshake' },
  { phase: 'connect', name: 'phase.connect', label: 'MQTT CONNECT' },
];

const quantiles: readonly MetricDefinition[] = timed.flatMap(({ phase, name, label }) =>
  [50, 95].map((p) => ({
    ...base,
    id: `connection.${phase}.p${p}`,
    label: p === 50 ? `${label}, median` : `${label}, P${p}`,
    unit: 'ms',
    help: `P${p} over the connections that the workload opened. Needs at least ${enoughFor(p)} connections.`,
    from: (evidence) => {
      const histogram = resultOf(evidence, 'publisher')?.histograms[name];
      if (!histogram || histogram.count < enoughFor(p)) return null;
      return toMs(LatencyHistogram.fromJson(histogram).percentile(p));
    },
  })),
);

const processorTimes: readonly MetricDefinition[] = (['publisher', 'broker'] as const).map((role) => ({
  ...base,
  group: 'cpu',
  role,
  source:
    role === 'publisher'
      ? 'getrusage(2) of the publisher process, user and system, over the measure phase, and its count of connections.'
      : 'schedstat of every thread of the broker process (or utime and stime in /proc/PID/stat if the kernel has no schedstat), over the measure phase, and the publisher’s count of connections.',
  bias: 'The last warm-up connections may end in the measure phase, so the value is too high by at most one connection per publisher.',
  resolution: { share: 0.001 },
  id: `cpuPerConnection.${role}`,
  label: `CPU per handshake, ${role === 'publisher' ? 'client' : 'broker'}`,
  unit: 'µs',
  help: `CPU time of the ${role} process in the measure phase, per connection opened and closed.`,
  from: (evidence) => ratioOf(phaseOf(evidence, role, 'measure')?.cpuUs, openedAtOnce(evidence)),
}));

const states: readonly { state: StateBytes['state']; what: string }[] = [
  { state: 'CON', what: 'from the first SYN until the connection is idle after CONNACK' },
  { state: 'SUB', what: 'to subscribe to a topic of 4 bytes on an idle connection' },
  { state: 'PUB', what: 'to publish a message without payload on an idle connection' },
  { state: 'DISC', what: 'to disconnect an idle connection' },
];

function stateOf(evidence: RunEvidence, state: StateBytes['state']): StateBytes | undefined {
  return resultOf(evidence, 'publisher')?.states.find((entry) => entry.state === state);
}

/** The handshake contains signatures, and their lengths differ by a byte or two between connections. */
const resolutionOf = (state: StateBytes['state']) => (state === 'CON' ? { step: 1 } : counted.resolution);

const stateBytes: readonly MetricDefinition[] = states.flatMap(({ state, what }) => [
  {
    ...counted,
    resolution: resolutionOf(state),
    group: 'traffic',
    id: `state.${state}.frameBytes`,
    label: `Wire bytes to ${state}`,
    unit: 'B',
    help: `Bytes of all frames ${what}, including acknowledgements, in both directions; median over connections.`,
    from: (evidence) => stateOf(evidence, state)?.frameBytes ?? null,
  },
  {
    ...counted,
    resolution: resolutionOf(state),
    group: 'traffic',
    id: `state.${state}.bytes`,
    label: `TCP payload to ${state}`,
    unit: 'B',
    help: `TCP payload ${what}, in both directions; median over connections.`,
    from: (evidence) => {
      const bytes = stateOf(evidence, state);
      return bytes ? bytes.bytesSent + bytes.bytesReceived : null;
    },
  },
  {
    ...counted,
    resolution: resolutionOf(state),
    group: 'traffic',
    quantity: 'count',
    id: `state.${state}.frames`,
    label: `Frames to ${state}`,
    unit: 'frames',
    help: `Number of frames ${what}, including acknowledgements, in both directions; median over connections.`,
    from: (evidence) => stateOf(evidence, state)?.frames ?? null,
  },
]);

const packets = ['CONNECT', 'CONNACK', 'SUBSCRIBE', 'SUBACK', 'PUBLISH'] as const;

function factOf(evidence: RunEvidence, name: string): number | null {
  const value = resultOf(evidence, 'publisher')?.environment[name];
  return typeof value === 'number' ? value : null;
}

/** Components of the bytes needed to reach a state. */
const stateParts: readonly MetricDefinition[] = [
  ...packets.map(
    (packet): MetricDefinition => ({
      ...counters,
      resolution: 'exact',
      group: 'traffic',
      id: `state.packet.${packet}`,
      label: `Bytes of ${packet}`,
      unit: 'B',
      help: `Length of the ${packet} packet as sent, including its properties; counted by the workload “states”.`,
      from: (evidence) => factOf(evidence, `states.packet.${packet}`),
    }),
  ),
  {
    ...counters,
    resolution: 'exact',
    group: 'traffic',
    source: 'Lengths of the certificates in DER, as reported by the TLS library.',
    id: 'state.certificates',
    label: 'Bytes of certificates',
    unit: 'B',
    help: 'Certificates (DER) that the broker sent in a full handshake; counted by the workload “states”.',
    from: (evidence) => factOf(evidence, 'states.certificateBytes'),
  },
];

export const connectionMetrics: readonly MetricDefinition[] = [
  {
    ...counters,
    better: 'higher',
    source: 'The publisher’s own count, and the length of its measure phase by the monotonic clock.',
    bias: 'The phase begins while warm-up connections are still open, so the value is too low by at most one connection per publisher.',
    resolution: { oneOf: 'count.connectionsOpened' },
    id: 'rate.connections',
    label: 'Handshakes per second',
    unit: '1/s',
    help: 'Connections opened and closed per second of the measure phase.',
    from: (evidence) => {
      const measure = phaseOf(evidence, 'publisher', 'measure');
      return ratioOf(openedAtOnce(evidence), measure ? measure.durationUs / 1e6 : null);
    },
  },
  ...quantiles,
  ...processorTimes,
  {
    ...base,
    group: 'traffic',
    source:
      'Bytes written to and read from the publisher’s own TCP socket of each connection, below TLS, from SYN to close, without TCP, IP or Ethernet headers.',
    bias: 'If the other end closes first, data after its FIN is not counted, which is at most a TLS alert. Runs recorded by earlier versions also include at most one warm-up connection per publisher.',
    // Signatures of a handshake differ by a few bytes between connections.
    resolution: { step: 0.01 },
    id: 'wire.perConnection',
    label: 'Wire bytes per connection',
    unit: 'B',
    help: 'Bytes below TLS, in both directions, at the publisher, per connection opened in the measure phase, from SYN to close.',
    from: (evidence) => {
      const counts = (['connectionBytesSent', 'connectionBytesReceived'] as const).map((counter) =>
        countOf(evidence, 'publisher', counter),
      );
      const bytes = sumOrNull(counts);
      if (bytes !== null && bytes > 0) return ratioOf(bytes, openedAtOnce(evidence));
      // Runs recorded by earlier versions did not count bytes per connection. The connection of the measure
      // phase's last message may still be open in the drain.
      const phases = carriesMessages(evidence.spec.workload)
        ? (['measure', 'drain'] as const)
        : (['measure'] as const);
      const records = phases.flatMap((phase) => phaseOf(evidence, 'publisher', phase) ?? []);
      return ratioOf(sumOrNull(records.map(wireBytesOf)), openedAtOnce(evidence));
    },
  },
  ...stateBytes,
  ...stateParts,
  {
    ...counters,
    group: 'delivery',
    quantity: 'count',
    better: 'higher',
    id: 'count.connectionsOpened',
    label: 'Connections opened',
    unit: 'connections',
    help: 'Connections that the workload opened in the measure phase.',
    from: opened,
  },
  {
    ...counters,
    group: 'delivery',
    quantity: 'count',
    id: 'count.connectionsFailed',
    label: 'Connections failed',
    unit: 'connections',
    help: 'Connections that failed to open, or ended before their message was acknowledged, in the measure phase.',
    from: (evidence) =>
      opened(evidence) === null && !countOf(evidence, 'publisher', 'connectionsFailed')
        ? null
        : countOf(evidence, 'publisher', 'connectionsFailed'),
  },
];
