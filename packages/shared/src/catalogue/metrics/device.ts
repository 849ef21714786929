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
  ['cacheReferences', 'Cache references', 'Accesses to the last cache'],
  ['cacheMisses', 'Cache misses', 'Accesses to the last cache that it could not answer'],
];

/** Mean over the groups of cores that are clocked together. */
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
    source: 'Hottest CPU zone of /sys/class/thermal or hwmon, sampled over the measure phase.',
    bias: 'As good as the sensor, often in steps of 0.5 to 1 °C.',
    id: `temperature.${role}`,
    label: `Temperature, ${role}`,
    group: 'device',
    unit: '°C',
    quantity: 'signed',
    resolution: { step: 1 },
    better: 'lower',
    role,
    help: `Highest temperature of the processor of the ${role}'s device while measuring.`,
    from: (evidence) => {
      const values = measuredValues(evidence, role, 'temperature.cpu');
      return values.length === 0 ? null : Math.max(...values);
    },
  },
  {
    source: 'scaling_cur_freq of /sys/devices/system/cpu, sampled over the measure phase.',
    bias: 'What the governor asked for last; an idle core may tell its last frequency.',
    id: `frequency.${role}`,
    label: `Frequency, ${role}`,
    group: 'device',
    unit: 'MHz',
    quantity: 'positive',
    resolution: { step: 1 },
    better: null,
    role,
    help: `Mean clock frequency of the processor of the ${role}'s device while measuring.`,
    from: (evidence) => frequencyOf(evidence, role),
  },
  {
    source: 'Flags of the firmware (vcgencmd get_throttled) or the core_throttle_count of each core.',
    bias: 'Flags are looked at in steps: several events in one step count once.',
    id: `throttling.${role}`,
    label: `Throttling, ${role}`,
    group: 'device',
    unit: 'events',
    quantity: 'count',
    resolution: { step: 1 },
    better: 'lower',
    role,
    help: `How often the ${role}'s device slowed itself down in the run: too hot, or too little voltage.`,
    from: (evidence) => {
      const events = eachDevice(evidence, role, ({ environment }) =>
        numberIn(environment['throttling.events']),
      );
      return events.length === 0 ? null : events.reduce((sum, count) => sum + count, 0);
    },
  },
  ...counters.map(
    ([counter, label, what]): MetricDefinition => ({
      source: 'perf_event_open(2) through perf stat, on the process, over the measure phase.',
      bias: 'Where the processor has too few counters they take turns, and the figure is scaled up.',
      id: `perf.${counter}.${role}`,
      label: `${label}, ${role}`,
      group: 'cpu',
      unit: 'events',
      quantity: 'positive',
      resolution: { step: 1 },
      better: 'lower',
      role,
      help: `${what} of the ${role} process while measuring, where the processor counts them.`,
      from: (evidence) => resultOf(evidence, role)?.perf?.[counter] ?? null,
    }),
  ),
]);
