import type { HistogramName, PhaseRecord } from '../../domain/runs/role-result.ts';
import { setUpPhases } from '../../domain/runs/statuses.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { phaseOf, ratioOf, resultOf, sumOrNull, wireBytesOf } from '../evidence/evidence.ts';

const names: Readonly<Record<'tcp' | 'tls' | 'connect', string>> = {
  tcp: 'TCP handshake',
  tls: 'TLS handshake',
  connect: 'MQTT CONNECT',
};

function setUpRecords(evidence: Parameters<MetricDefinition['from']>[0]): PhaseRecord[] {
  return (resultOf(evidence, 'publisher')?.phases ?? []).filter((record) =>
    setUpPhases.includes(record.phase),
  );
}

/** Returns the mean over the connections that the workload opened; null if it keeps its connections open. */
function meanMs(
  evidence: RunEvidence,
  name: Extract<HistogramName, `phase.${string}` | 'kept.set-up'>,
): number | null {
  const histogram = resultOf(evidence, 'publisher')?.histograms[name];
  return histogram && histogram.count > 0 ? histogram.sum / histogram.count / 1000 : null;
}

function durationMs(phase: keyof typeof names): MetricDefinition['from'] {
  return (evidence) => {
    const mean = meanMs(evidence, `phase.${phase}`);
    if (mean !== null) return mean;
    const record = phaseOf(evidence, 'publisher', phase);
    return record ? record.durationUs / 1000 : null;
  };
}

const base = {
  group: 'set-up',
  quantity: 'positive',
  better: 'lower',
  role: 'publisher',
  resolution: { step: 0.001 },
  source: 'The publisher’s monotonic clock at its own socket: connect(2), secureConnect of TLS, CONNACK.',
  bias: 'Higher than on the wire by the time until the event loop processes a response, about 0.1 ms per phase on an idle machine.',
} as const;

export const setUpMetrics: readonly MetricDefinition[] = [
  {
    ...base,
    id: 'setUp.total',
    label: 'Connection set-up',
    unit: 'ms',
    help: 'From the first SYN to CONNACK at the publisher, mean over its connections.',
    source:
      'The publisher’s monotonic clock at its own socket: from the call that sends SYN to the bytes of CONNACK, including the time between phases.',
    bias: 'Higher than on the wire by the time until the event loop processes CONNACK, 0.1 to 0.3 ms compared with captures over loopback. More than ten connections are opened phase by phase, and the time in which they wait for each other between phases is excluded. Runs recorded by earlier versions report the sum of the phases, which is 0.4 to 3.4 ms too low.',
    from: (evidence) => {
      const mean = meanMs(evidence, 'phase.set-up') ?? meanMs(evidence, 'kept.set-up');
      if (mean !== null) return mean;
      // Runs recorded by earlier versions contain only the phases, without the time between them.
      const records = setUpRecords(evidence);
      return records.length === 0 ? null : records.reduce((sum, record) => sum + record.durationUs, 0) / 1000;
    },
  },
  ...(['tcp', 'tls', 'connect'] as const).map(
    (phase): MetricDefinition => ({
      ...base,
      id: `setUp.${phase}`,
      label: names[phase],
      unit: 'ms',
      help: `Duration of the ${phase} phase at the publisher, mean over its connections.`,
      from: durationMs(phase),
    }),
  ),
  {
    ...base,
    id: 'setUp.cpu',
    label: 'Set-up CPU time',
    unit: 'ms',
    help: 'CPU time of the publisher process from SYN to CONNACK, per connection.',
    source: 'getrusage(2) of the publisher process, user and system, at the start and end of each phase.',
    bias: 'Includes everything else the process does during that time, such as garbage collection.',
    from: (evidence) => {
      const records = setUpRecords(evidence);
      if (records.length === 0 || records.some((record) => record.cpuUs === null)) return null;
      return records.reduce((sum, r) => sum + (r.cpuUs ?? 0) / Math.max(1, r.connections), 0) / 1000;
    },
  },
  {
    ...base,
    // The signatures in a handshake differ by a few bytes between connections.
    resolution: { step: 1 },
    id: 'setUp.bytes',
    label: 'Set-up wire bytes',
    unit: 'B',
    help: 'Bytes below TLS, in both directions, until CONNACK, per connection of the publisher.',
    source:
      'Bytes written to and read from the publisher’s own TCP sockets, below TLS, without TCP, IP or Ethernet headers.',
    bias: 'Excludes TLS 1.3 session tickets that arrive after CONNACK.',
    from: (evidence) => {
      const records = setUpRecords(evidence);
      if (records.length === 0) return null;
      return sumOrNull(
        records.map((record) => ratioOf(wireBytesOf(record), Math.max(1, record.connections))),
      );
    },
  },
];
