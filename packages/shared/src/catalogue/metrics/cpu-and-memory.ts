import type { Role } from '../../domain/devices/device.ts';
import { roles, roleWords } from '../../domain/devices/device.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { eachDevice, meanOf, measuredValues, numberIn, phaseOf, ratioOf } from '../evidence/evidence.ts';
import { messagesArrived, messagesHandled, messagesSent } from '../evidence/throughput-evidence.ts';

/** Returns the number of messages that a role handled in the measure phase. */
function messagesThrough(evidence: RunEvidence, role: Role): number | null {
  if (role === 'subscriber') return messagesArrived(evidence);
  return role === 'publisher' ? messagesSent(evidence) : messagesHandled(evidence);
}

const through: Readonly<Record<'publisher' | 'subscriber' | 'between', string>> = {
  publisher: 'message sent in that time',
  subscriber: 'message that arrived in that time',
  between: 'message that arrived in that time, regardless of the number of subscribers',
};

function factsOf(evidence: RunEvidence, role: Role, name: string): number[] {
  return eachDevice(evidence, role, ({ environment }) => numberIn(environment[name]));
}

/** Roles whose process reads its own CPU time. */
const ownProcess: readonly Role[] = ['publisher', 'subscriber', 'bridge'];
const several = 'If several devices have this role, the mean over these devices.';

function metricsOf(role: Role): MetricDefinition[] {
  const who = roleWords[role];
  const cpu = {
    group: 'cpu',
    quantity: 'positive',
    // Resolution of microseconds of CPU time, over a phase of seconds.
    resolution: { share: 0.0001 },
    better: 'lower',
    role,
    source: ownProcess.includes(role)
      ? 'getrusage(2) of the load worker, user and system, all threads, over the measure phase. Other clients are measured in the same way as a broker.'
      : 'schedstat of every thread of the process, over the measure phase (or, if the kernel has no schedstat, utime and stime in /proc/PID/stat, in steps of 10 ms).',
    bias: ownProcess.includes(role)
      ? 'Includes the cost of measuring: stamps, histograms and message pacing, which busy-waits for the last microseconds.'
      : 'Excludes the kernel’s work for the process in interrupts.',
  } as const;
  const memory = {
    group: 'memory',
    quantity: 'positive',
    // One page.
    resolution: { step: 0.004 },
    better: 'lower',
    role,
    unit: 'MB',
    source: 'Resident set from /proc/PID/statm, sampled over the measure phase.',
    bias: 'Shared pages are counted in full for each process. A load worker includes Node.js, about 50 MB, and its histograms.',
  } as const;
  const residentMb = (evidence: Parameters<MetricDefinition['from']>[0]) =>
    measuredValues(evidence, role, 'memory.resident').map((bytes) => bytes / 1e6);
  return [
    {
      ...cpu,
      id: `cpu.${role}`,
      label: `CPU, ${who}`,
      unit: '%',
      help: `CPU time of the ${who} process over the measure phase, as a percentage of one core. ${several}`,
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
      help: `CPU time of the ${who} process in the measure phase, per ${through[role === 'publisher' || role === 'subscriber' ? role : 'between']}.`,
      from: (evidence) => ratioOf(phaseOf(evidence, role, 'measure')?.cpuUs, messagesThrough(evidence, role)),
    },
    {
      ...memory,
      id: `memory.${role}.mean`,
      label: `Memory, ${who}`,
      help: `Mean resident memory of the ${who} process in the measure phase. ${several}`,
      from: (evidence) => meanOf(residentMb(evidence)),
    },
    {
      ...memory,
      source:
        'Pss from /proc/PID/smaps_rollup, sampled; read only once, at the end of the load, if reading is slow.',
      bias: 'Depends on the other processes that share the pages.',
      id: `memory.${role}.proportional`,
      label: `Proportional memory, ${who}`,
      help: `Mean memory of the ${who} process in the measure phase. Shared pages are divided among the processes that share them.`,
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
        'VmHWM from /proc/PID/status, reset with clear_refs before the load; the largest sample if it cannot be reset.',
      bias: 'Shared pages are counted in full. If VmHWM cannot be reset, peaks between two samples are missed.',
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
      // One memory page out of some GB.
      resolution: { step: 0.0001 },
      source:
        'Resident set from /proc/PID/statm, sampled over the measure phase, divided by the memory of the device.',
      id: `memoryShare.${role}`,
      label: `Memory share, ${who}`,
      unit: '%',
      help: `Mean resident memory of the ${who} process in the measure phase, as a percentage of the device’s memory, like %MEM in top. ${several}`,
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
      // One tick of 10 ms out of one second on several cores.
      resolution: { step: 0.1 },
      source: '/proc/stat, all cores, sampled over the measure phase.',
      bias: 'In steps of 10 ms per core. Includes every program on the device, including mqttlab’s agent and server.',
      id: `cpuDevice.${role}`,
      label: `Device CPU, ${who}`,
      unit: '%',
      help: `CPU use of the ${who} device; 100 % means all cores.`,
      from: (evidence) => meanOf(measuredValues(evidence, role, 'cpu.device')),
    },
  ];
}

export const cpuAndMemoryMetrics: readonly MetricDefinition[] = roles.flatMap(metricsOf);
