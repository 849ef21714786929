import type { Role } from '../../domain/devices/device.ts';
import { roles, roleWords } from '../../domain/devices/device.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { eachDevice, meanOf, measuredValues, numberIn, phaseOf, ratioOf } from '../evidence/evidence.ts';
import { messagesArrived, messagesHandled, messagesSent } from '../evidence/throughput-evidence.ts';

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

/** Clients whose CPU time is read from inside. */
const ownProcess: readonly Role[] = ['publisher', 'subscriber', 'bridge'];
const several = 'Where several devices play this role, the mean over them.';

function metricsOf(role: Role): MetricDefinition[] {
  const who = roleWords[role];
  const cpu = {
    group: 'cpu',
    quantity: 'positive',
    // Microseconds of CPU time, over a phase of seconds.
    resolution: { share: 0.0001 },
    better: 'lower',
    role,
    source: ownProcess.includes(role)
      ? 'getrusage(2) of the load worker, user and system, all threads, over the measure phase; of other clients as of a broker.'
      : 'schedstat of every thread of the process (utime and stime of /proc/PID/stat, in steps of 10 ms, where the kernel has none), over the measure phase.',
    bias: ownProcess.includes(role)
      ? 'Holds what measuring costs: stamps, histograms, the pacing of messages, which waits busily for the last microseconds.'
      : 'What the kernel does for a process in interrupts is not in it.',
  } as const;
  const memory = {
    group: 'memory',
    quantity: 'positive',
    // A page.
    resolution: { step: 0.004 },
    better: 'lower',
    role,
    unit: 'MB',
    source: 'Resident set by /proc/PID/statm, sampled over the measure phase.',
    bias: 'Shared pages count in full for each process. A load worker holds Node.js, some 50 MB, and its histograms.',
  } as const;
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
      source:
        'Pss of /proc/PID/smaps_rollup, sampled, or once at the end of the load where the kernel is slow with it.',
      bias: 'Depends on what else on the device shares the pages.',
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
      source:
        'VmHWM of /proc/PID/status, set back by clear_refs before the load; the largest sample where that is not allowed.',
      bias: 'Shared pages count in full. A peak between two samples is missed where VmHWM cannot be set back.',
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
      ...memory,
      quantity: 'proportion',
      // A page, of some GB.
      resolution: { step: 0.0001 },
      source:
        'Resident set by /proc/PID/statm, sampled over the measure phase, over the memory of the device.',
      id: `memoryShare.${role}`,
      label: `Memory share, ${who}`,
      unit: '%',
      help: `Mean resident memory of the ${who} process while measuring, in percent of all memory of its device, as top tells it. ${several}`,
      from: (evidence) => {
        const share = ratioOf(
          meanOf(residentMb(evidence)),
          meanOf(factsOf(evidence, role, 'device.memoryBytes')),
        );
        return share === null ? null : share * 1e8;
      },
    },
    {
      ...cpu,
      quantity: 'proportion',
      // A tick of 10 ms, over a second of several cores.
      resolution: { step: 0.1 },
      source: '/proc/stat, all cores, sampled over the measure phase.',
      bias: 'In steps of 10 ms of each core. Holds every program on the device, mqttlab’s agent and server too.',
      id: `cpuDevice.${role}`,
      label: `Device CPU, ${who}`,
      unit: '%',
      help: `CPU of the whole device that plays the ${who}, all cores together 100 %.`,
      from: (evidence) => meanOf(measuredValues(evidence, role, 'cpu.device')),
    },
  ];
}

export const cpuAndMemoryMetrics: readonly MetricDefinition[] = roles.flatMap(metricsOf);
