import type { MetricDefinition, RunEvidence } from '../../domain/metric.ts';
import { setUpPhases } from '../../domain/phase.ts';
import type { PhaseRecord } from '../../domain/role-result.ts';
import { phaseOf, ratioOf, resultOf, sumOrNull, wireBytesOf } from '../evidence.ts';

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

/** Mean over the connections that the workload opened; null where it keeps them. */
function meanMs(evidence: RunEvidence, phase: 'tcp' | 'tls' | 'connect' | 'set-up'): number | null {
  const histogram = resultOf(evidence, 'publisher')?.histograms[`phase.${phase}`];
  return histogram && histogram.count > 0 ? histogram.sum / histogram.count / 1000 : null;
}

function durationMs(phase: keyof typeof names): MetricDefinition['from'] {
  return (evidence) => {
    const mean = meanMs(evidence, phase);
    if (mean !== null) return mean;
    const record = phaseOf(evidence, 'publisher', phase);
    return record ? record.durationUs / 1000 : null;
  };
}

const base = { group: 'set-up', quantity: 'positive', better: 'lower', role: 'publisher' } as const;

export const setUpMetrics: readonly MetricDefinition[] = [
  {
    ...base,
    id: 'setUp.total',
    label: 'Connection set-up',
    unit: 'ms',
    help: 'From the first SYN to CONNACK at the publisher, mean over its connections.',
    from: (evidence) => {
      const mean = meanMs(evidence, 'set-up');
      if (mean !== null) return mean;
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
      help: `Duration of the phase ${phase} at the publisher, mean over its connections.`,
      from: durationMs(phase),
    }),
  ),
  {
    ...base,
    id: 'setUp.cpu',
    label: 'Set-up CPU time',
    unit: 'ms',
    help: 'CPU time of the publisher process from SYN to CONNACK, for each connection.',
    from: (evidence) => {
      const records = setUpRecords(evidence);
      if (records.length === 0 || records.some((record) => record.cpuUs === null)) return null;
      return records.reduce((sum, r) => sum + (r.cpuUs ?? 0) / Math.max(1, r.connections), 0) / 1000;
    },
  },
  {
    ...base,
    id: 'setUp.bytes',
    label: 'Set-up wire bytes',
    unit: 'B',
    help: 'Bytes below TLS, both directions, until CONNACK, for each connection of the publisher.',
    from: (evidence) => {
      const records = setUpRecords(evidence);
      if (records.length === 0) return null;
      return sumOrNull(
        records.map((record) => ratioOf(wireBytesOf(record), Math.max(1, record.connections))),
      );
    },
  },
];
