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
    'The publisher’s monotonic clock around its own sockets: connect(2), secureConnect of TLS, CONNACK. Histogram of three significant digits.',
  bias: 'Too high against the wire by what the event loop takes to notice an answer; several at once wait for one another in it.',
} as const;
/** Captured as frames are, by the kernel's own count. */
const counted = {
  ...base,
  resolution: 'exact',
  source:
    'Bytes of the publisher’s own socket, below TLS, and segments by TCP_INFO of the kernel (tcp(7), ss(8)), 0.3 s after the state was reached; headers by the options of the connection.',
  bias: 'Equal to a capture where nothing was lost; what is sent again counts again. No Ethernet trailer, preamble or gap.',
} as const;
const counters = {
  ...base,
  resolution: { step: 1 },
  source: 'The publisher’s own count.',
  bias: null,
} as const;

/** Connections that the workload opened while measuring; null where it keeps them. */
function opened(evidence: RunEvidence): number | null {
  // What the abuser holds is no handshake that anybody times.
  if (evidence.spec.workload === 'availability') return null;
  return countOf(evidence, 'publisher', 'connectionsOpened') || null;
}

/** Those that were opened as fast as possible: the workload "states" rests between its steps. */
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
    help: `P${p} over the connections that the workload opened; shown from ${enoughFor(p)} on.`,
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
      ? 'getrusage(2) of the publisher’s process, user and system, over the measure phase, and its count of connections.'
      : 'schedstat of every thread of the broker’s process (utime and stime of /proc/PID/stat where there is none), over the measure phase, and the publisher’s count of connections.',
  bias: 'The last connections of the warm-up may end in the measure phase: too high by at most one connection for each publisher.',
  resolution: { share: 0.001 },
  id: `cpuPerConnection.${role}`,
  label: `CPU per handshake, ${role === 'publisher' ? 'client' : 'broker'}`,
  unit: 'µs',
  help: `CPU time of the ${role} process while measuring, for each connection that was opened and closed.`,
  from: (evidence) => ratioOf(phaseOf(evidence, role, 'measure')?.cpuUs, openedAtOnce(evidence)),
}));

const states: readonly { state: StateBytes['state']; what: string }[] = [
  { state: 'CON', what: 'from the first SYN to a connection that is at rest behind CONNACK' },
  { state: 'SUB', what: 'to subscribe to a topic of 4 bytes, starting from a connection at rest' },
  { state: 'PUB', what: 'to publish a message without payload, starting from a connection at rest' },
  { state: 'DISC', what: 'to disconnect, starting from a connection at rest' },
];

function stateOf(evidence: RunEvidence, state: StateBytes['state']): StateBytes | undefined {
  return resultOf(evidence, 'publisher')?.states.find((entry) => entry.state === state);
}

/** The handshake holds signatures, whose length differs by a byte or two from one connection to the next. */
const resolutionOf = (state: StateBytes['state']) => (state === 'CON' ? { step: 1 } : counted.resolution);

const stateBytes: readonly MetricDefinition[] = states.flatMap(({ state, what }) => [
  {
    ...counted,
    resolution: resolutionOf(state),
    group: 'traffic',
    id: `state.${state}.frameBytes`,
    label: `Wire bytes to ${state}`,
    unit: 'B',
    help: `Whole frames ${what}, acknowledgements included, both directions; median over connections.`,
    from: (evidence) => stateOf(evidence, state)?.frameBytes ?? null,
  },
  {
    ...counted,
    resolution: resolutionOf(state),
    group: 'traffic',
    id: `state.${state}.bytes`,
    label: `TCP payload to ${state}`,
    unit: 'B',
    help: `TCP payload ${what}, both directions; median over connections.`,
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
    help: `Frames ${what}, acknowledgements included, both directions; median over connections.`,
    from: (evidence) => stateOf(evidence, state)?.frames ?? null,
  },
]);

const packets = ['CONNECT', 'CONNACK', 'SUBSCRIBE', 'SUBACK', 'PUBLISH'] as const;

function factOf(evidence: RunEvidence, name: string): number | null {
  const value = resultOf(evidence, 'publisher')?.environment[name];
  return typeof value === 'number' ? value : null;
}

/** What the bytes of a state are made of. */
const stateParts: readonly MetricDefinition[] = [
  ...packets.map(
    (packet): MetricDefinition => ({
      ...counters,
      resolution: 'exact',
      group: 'traffic',
      id: `state.packet.${packet}`,
      label: `Bytes of ${packet}`,
      unit: 'B',
      help: `Length of ${packet} as it was sent, its properties included; counted by the workload “states”.`,
      from: (evidence) => factOf(evidence, `states.packet.${packet}`),
    }),
  ),
  {
    ...counters,
    resolution: 'exact',
    group: 'traffic',
    source: 'Lengths of the certificates in DER, as the TLS library hands them over.',
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
    bias: 'The phase begins while connections of the warm-up are still open: too low by at most one connection for each publisher.',
    resolution: { oneOf: 'count.connectionsOpened' },
    id: 'rate.connections',
    label: 'Handshakes per second',
    unit: '1/s',
    help: 'Connections opened and closed while measuring, for each second that it took.',
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
      'Bytes written to and read from the publisher’s own TCP socket of each connection, below TLS, from SYN to its close; no headers of TCP, IP or Ethernet.',
    bias: 'Where the other end closes first, what arrives behind its FIN is not seen: at most an alert of TLS. Runs of earlier versions had up to one connection of the warm-up for each publisher in it.',
    // Signatures of a handshake differ by a few bytes from one connection to the next.
    resolution: { step: 0.01 },
    id: 'wire.perConnection',
    label: 'Wire bytes per connection',
    unit: 'B',
    help: 'Bytes below TLS, both directions, at the publisher, of each connection that was opened while measuring, from SYN to its close.',
    from: (evidence) => {
      const own = (['connectionBytesSent', 'connectionBytesReceived'] as const).map((counter) =>
        countOf(evidence, 'publisher', counter),
      );
      const bytes = sumOrNull(own);
      if (bytes !== null && bytes > 0) return ratioOf(bytes, openedAtOnce(evidence));
      // Runs of before did not count each connection by itself.
      // The last message of the measure phase may have its connection still open in the drain.
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
    help: 'Connections that the workload opened while measuring.',
    from: opened,
  },
  {
    ...counters,
    group: 'delivery',
    quantity: 'count',
    id: 'count.connectionsFailed',
    label: 'Connections failed',
    unit: 'connections',
    help: 'Connections that could not be opened, or ended before their message was acknowledged, while measuring.',
    from: (evidence) =>
      opened(evidence) === null && !countOf(evidence, 'publisher', 'connectionsFailed')
        ? null
        : countOf(evidence, 'publisher', 'connectionsFailed'),
  },
];
