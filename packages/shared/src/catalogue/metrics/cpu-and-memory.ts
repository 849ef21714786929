import type { Role } from '../../domain/device.ts';
import { roles } from '../../domain/device.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/metric.ts';
import { eachDevice, meanOf, measuredValues, numberIn, phaseOf, ratioOf } from '../evidence.ts';
import { messagesArrived, messagesHandled, messagesSent } from '../throughput-evidence.ts';

const processes: Readonly<Record<Role, string>> = {
  broker: 'broker',
  publisher: 'publisher',
  bridge: 'bridge',
  'cloud-broker': 'cloud broker',
  subscriber: 'subscriber',
};

/** Messages that a role dealt with while measuring. */
function messagesThrough(evidence: RunEvidence, role: Role): number | null {
  if (role === 'subscriber') return messagesArrived(evidence);
  return role === 'publisher' ? messagesSent(evidence) : messagesHandled(evidence);
}

const through: Readonly<Record<'publisher' | 'subscriber' | 'between', string>> = {
  publisher: 'each message that it sent meanwhile',
  subscriber: 'each message that arrived meanwhile',
  between: 'each message that arrived meanwhile, whatever the number of subscribers',
};

function factsOf(evidence: RunEvidence, role: Role, name: string): number[] {
  return eachDevice(evidence, role, ({ environment }) => numberIn(environment[name]));
}

const several = 'Where several devices play this role, the mean over them.';

function metricsOf(role: Role): MetricDefinition[] {
  const who = processes[role];
  const cpu = { group: 'cpu', quantity: 'positive', better: 'lower', role } as const;
  const memory = { group: 'memory', quantity: 'positive', better: 'lower', role, unit: 'MB' } as const;
  const residentMb = (evidence: Parameters<MetricDefinition['from']>[0]) =>
    measuredValues(evidence, role, 'memory.resident').map((bytes) => bytes / 1e6);
  return [
    {
      ...cpu,
      id: `cpu.${role}`,
      label: `CPU, ${who}`,
      unit: '%',
      help: `CPU time of the ${who} process over the measure phase, in percent of one core. ${several}`,
      from: (evidence) => {
        const measured = eachDevice(evidence, role, ({ phases }) => {
          const record = phases.find(({ phase }) => phase === 'measure');
          const share = record && ratioOf(record.cpuUs, record.durationUs);
          return share === undefined || share === null ? null : share * 100;
        });
        return meanOf(measured) ?? meanOf(measuredValues(evidence, role, 'cpu.process'));
      },
    },
    {
      ...cpu,
      id: `cpuPerMessage.${role}`,
      label: `CPU per message, ${who}`,
      unit: 'µs',
      help: `CPU time of the ${who} process while measuring, for ${through[role === 'publisher' || role === 'subscriber' ? role : 'between']}.`,
      from: (evidence) => ratioOf(phaseOf(evidence, role, 'measure')?.cpuUs, messagesThrough(evidence, role)),
    },
    {
      ...memory,
      id: `memory.${role}.mean`,
      label: `Memory, ${who}`,
      help: `Mean resident memory of the ${who} process while measuring. ${several}`,
      from: (evidence) => meanOf(residentMb(evidence)),
    },
    {
      ...memory,
      id: `memory.${role}.proportional`,
      label: `Proportional memory, ${who}`,
      help: `Mean memory of the ${who} process while measuring, pages that are shared counted by share.`,
      from: (evidence) => {
        const sampled = meanOf(measuredValues(evidence, role, 'memory.proportional'));
        const atEnd = meanOf(factsOf(evidence, role, 'memory.proportionalBytes'));
        const bytes = sampled ?? atEnd;
        return bytes === null ? null : bytes / 1e6;
      },
    },
    {
      ...memory,
      id: `memory.${role}.peak`,
      label: `Peak memory, ${who}`,
      help: `Largest resident memory of the ${who} process from the start of the load to its end.`,
      from: (evidence) => {
        const peaks = factsOf(evidence, role, 'memory.peakBytes');
        if (peaks.length > 0) return Math.max(...peaks) / 1e6;
        const values = residentMb(evidence);
        return values.length === 0 ? null : Math.max(...values);
      },
    },
    {
      ...cpu,
      quantity: 'proportion',
      id: `cpuDevice.${role}`,
      label: `Device CPU, ${who}`,
      unit: '%',
      help: `CPU of the whole device that plays the ${who}, all cores together 100 %.`,
      from: (evidence) => meanOf(measuredValues(evidence, role, 'cpu.device')),
    },
  ];
}

export const cpuAndMemoryMetrics: readonly MetricDefinition[] = roles.flatMap(metricsOf);
