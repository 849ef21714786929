import { roles } from '../../domain/devices/device.ts';
import type { PerfCounters } from '../../domain/runs/role-result.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import {
  eachDevice,
  meanOf,
  measuredMsOf,
  measuredOf,
  measuredValues,
  numberIn,
  resultOf,
  resultsOf,
} from '../evidence/evidence.ts';

const counters: readonly (readonly [keyof PerfCounters, string, string])[] = [
  ['cycles', 'Cycles', 'Processor cycles'],
  ['instructions', 'Instructions', 'Instructions'],
  ['cacheReferences', 'Cache references', 'Last-level cache accesses'],
  ['cacheMisses', 'Cache misses', 'Last-level cache misses'],
];

/** Returns the mean over the groups of cores that share a clock. */
function frequencyOf(evidence: RunEvidence, role: (typeof roles)[number]): number | null {
  const means = resultsOf(evidence, role).flatMap((result) =>
    result.series
      .filter(({ metric }) => metric.startsWith('frequency.'))
      .flatMap(({ metric }) => meanOf(measuredOf(result, metric, measuredMsOf(evidence))) ?? []),
  );
  return meanOf(means);
}

export const deviceMetrics: readonly MetricDefinition[] = roles.flatMap((role): MetricDefinition[] => [
  {
    source: 'Hottest CPU zone in /sys/class/thermal or hwmon, sampled over the measure phase.',
    bias: 'Limited by the sensor, often in steps of 0.5 to 1 °C.',
    id: `temperature.${role}`,
    label: `Temperature, ${role}`,
    group: 'device',
    unit: '°C',
    quantity: 'signed',
    resolution: { step: 1 },
    better: 'lower',
    role,
    help: `Highest processor temperature of the ${role} device in the measure phase.`,
    from: (evidence) => {
      const values = measuredValues(evidence, role, 'temperature.cpu');
      return values.length === 0 ? null : Math.max(...values);
    },
  },
  {
    source: 'scaling_cur_freq in /sys/devices/system/cpu, sampled over the measure phase.',
    bias: 'The frequency last requested by the governor; an idle core may report its previous frequency.',
    id: `frequency.${role}`,
    label: `Frequency, ${role}`,
    group: 'device',
    unit: 'MHz',
    quantity: 'positive',
    resolution: { step: 1 },
    better: null,
    role,
    help: `Mean processor clock frequency of the ${role} device in the measure phase.`,
    from: (evidence) => frequencyOf(evidence, role),
  },
  {
    source: 'Firmware flags (vcgencmd get_throttled) or the core_throttle_count of each core.',
    bias: 'Flags are polled, so several events in one interval count once.',
    id: `throttling.${role}`,
    label: `Throttling, ${role}`,
    group: 'device',
    unit: 'events',
    quantity: 'count',
    resolution: { step: 1 },
    better: 'lower',
    role,
    help: `Number of times the ${role} device throttled itself during the run because of heat or low voltage.`,
    from: (evidence) => {
      const events = eachDevice(evidence, role, ({ environment }) =>
        numberIn(environment['throttling.events']),
      );
      return events.length === 0 ? null : events.reduce((sum, count) => sum + count, 0);
    },
  },
  ...counters.map(
    ([counter, label, what]): MetricDefinition => ({
      source: 'perf_event_open(2) through perf stat, for the process, over the measure phase.',
      bias: 'If the processor has too few counters, they are multiplexed and the values scaled up.',
      id: `perf.${counter}.${role}`,
      label: `${label}, ${role}`,
      group: 'cpu',
      unit: 'events',
      quantity: 'positive',
      resolution: { step: 1 },
      better: 'lower',
      role,
      help: `${what} of the ${role} process in the measure phase, if the processor counts them.`,
      from: (evidence) => resultOf(evidence, role)?.perf?.[counter] ?? null,
    }),
  ),
]);
