import type { Role } from '../../domain/device.ts';
import { roles } from '../../domain/device.ts';
import type { MetricDefinition } from '../../domain/metric.ts';
import { countOf, meanOf, measuredValues, phaseOf, ratioOf, resultOf } from '../evidence.ts';

const processes: Readonly<Record<Role, string>> = {
  broker: 'broker',
  publisher: 'publisher',
  subscriber: 'subscriber',
};

/** Messages that passed through a role while measuring. */
function messagesThrough(evidence: Parameters<MetricDefinition['from']>[0], role: Role): number | null {
  return role === 'subscriber'
    ? countOf(evidence, 'subscriber', 'received')
    : countOf(evidence, 'publisher', 'sent');
}

function metricsOf(role: Role): MetricDefinition[] {
  const who = processes[role];
  const cpu = { group: 'cpu', better: 'lower', role } as const;
  const memory = { group: 'memory', better: 'lower', role, unit: 'MB' } as const;
  const residentMb = (evidence: Parameters<MetricDefinition['from']>[0]) =>
    measuredValues(evidence, role, 'memory.resident').map((bytes) => bytes / 1e6);
  return [
    {
      ...cpu,
      id: `cpu.${role}`,
      label: `CPU, ${who}`,
      unit: '%',
      help: `CPU time of the ${who} process over the measure phase, in percent of one core.`,
      from: (evidence) => {
        const record = phaseOf(evidence, role, 'measure');
        if (record && record.cpuUs !== null && record.durationUs > 0) {
          return (record.cpuUs / record.durationUs) * 100;
        }
        return meanOf(measuredValues(evidence, role, 'cpu.process'));
      },
    },
    {
      ...cpu,
      id: `cpuPerMessage.${role}`,
      label: `CPU per message, ${who}`,
      unit: 'µs',
      help: `CPU time of the ${who} process while measuring, for each message.`,
      from: (evidence) => ratioOf(phaseOf(evidence, role, 'measure')?.cpuUs, messagesThrough(evidence, role)),
    },
    {
      ...memory,
      id: `memory.${role}.mean`,
      label: `Memory, ${who}`,
      help: `Mean resident memory of the ${who} process while measuring.`,
      from: (evidence) => meanOf(residentMb(evidence)),
    },
    {
      ...memory,
      id: `memory.${role}.proportional`,
      label: `Proportional memory, ${who}`,
      help: `Mean memory of the ${who} process while measuring, pages that are shared counted by share.`,
      from: (evidence) => {
        const sampled = meanOf(measuredValues(evidence, role, 'memory.proportional'));
        const atEnd = resultOf(evidence, role)?.environment['memory.proportionalBytes'];
        const bytes = sampled ?? (typeof atEnd === 'number' ? atEnd : null);
        return bytes === null ? null : bytes / 1e6;
      },
    },
    {
      ...memory,
      id: `memory.${role}.peak`,
      label: `Peak memory, ${who}`,
      help: `Largest resident memory of the ${who} process from the start of the load to its end.`,
      from: (evidence) => {
        const peak = resultOf(evidence, role)?.environment['memory.peakBytes'];
        if (typeof peak === 'number') return peak / 1e6;
        const values = residentMb(evidence);
        return values.length === 0 ? null : Math.max(...values);
      },
    },
    {
      ...cpu,
      id: `cpuDevice.${role}`,
      label: `Device CPU, ${who}`,
      unit: '%',
      help: `CPU of the whole device that plays the ${who}, all cores together 100 %.`,
      from: (evidence) =>
        resultOf(evidence, role) ? meanOf(measuredValues(evidence, role, 'cpu.device')) : null,
    },
  ];
}

export const cpuAndMemoryMetrics: readonly MetricDefinition[] = roles.flatMap(metricsOf);
