import type { MetricDefinition, RunEvidence } from '../../domain/metric.ts';
import type { HistogramName, StateBytes } from '../../domain/role-result.ts';
import { LatencyHistogram } from '../../statistics/histogram.ts';
import { countOf, phaseOf, ratioOf, resultOf, sumOrNull, toMs, wireBytesOf } from '../evidence.ts';
import { carriesMessages } from '../workloads.ts';
import { enoughFor } from './latency.ts';

const base = { group: 'set-up', quantity: 'positive', better: 'lower', role: 'publisher' } as const;

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

const stateBytes: readonly MetricDefinition[] = states.flatMap(({ state, what }) => [
  {
    ...base,
    group: 'traffic',
    id: `state.${state}.frameBytes`,
    label: `Wire bytes to ${state}`,
    unit: 'B',
    help: `Whole frames ${what}, acknowledgements included, both directions; median over connections.`,
    from: (evidence) => stateOf(evidence, state)?.frameBytes ?? null,
  },
  {
    ...base,
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
    ...base,
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
      ...base,
      group: 'traffic',
      id: `state.packet.${packet}`,
      label: `Bytes of ${packet}`,
      unit: 'B',
      help: `Length of ${packet} as it was sent, its properties included; counted by the workload “states”.`,
      from: (evidence) => factOf(evidence, `states.packet.${packet}`),
    }),
  ),
  {
    ...base,
    group: 'traffic',
    id: 'state.certificates',
    label: 'Bytes of certificates',
    unit: 'B',
    help: 'Certificates (DER) that the broker sent in a full handshake; counted by the workload “states”.',
    from: (evidence) => factOf(evidence, 'states.certificateBytes'),
  },
];

export const connectionMetrics: readonly MetricDefinition[] = [
  {
    ...base,
    better: 'higher',
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
    id: 'wire.perConnection',
    label: 'Wire bytes per connection',
    unit: 'B',
    help: 'Bytes below TLS, both directions, at the publisher, for each connection opened and closed while measuring.',
    from: (evidence) => {
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
    ...base,
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
    ...base,
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
