import type { MetricDefinition } from '../../domain/metric.ts';
import { toMs } from '../evidence.ts';
import { latencyBoundUs } from '../latency-evidence.ts';
import { startSkew } from '../start-skew.ts';

export const clockMetrics: readonly MetricDefinition[] = [
  {
    id: 'clock.uncertainty',
    label: 'Clock uncertainty',
    group: 'device',
    unit: 'ms',
    quantity: 'positive',
    better: 'lower',
    role: null,
    help: 'Most that a one-way latency can be wrong by: offsets before and after the run, with their drift; 0 on one kernel.',
    from: (evidence) => toMs(latencyBoundUs(evidence)),
  },
  {
    id: 'start.skew',
    label: 'Start skew',
    group: 'device',
    unit: 'ms',
    quantity: 'positive',
    better: 'lower',
    role: null,
    help: 'Between the first and the last device to begin the measure phase, all of which were told one instant.',
    from: (evidence) => toMs(startSkew(evidence)?.skewUs ?? null),
  },
];
