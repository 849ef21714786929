import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { latencyBoundUs, toMs } from '../evidence/evidence.ts';
import { startSkew } from '../evidence/shaping-evidence.ts';

export const clockMetrics: readonly MetricDefinition[] = [
  {
    source:
      'Twelve exchanges of four time stamps between server and agent (RFC 5905 section 8) before and after the run: half the shortest round trip, plus the drift between the two measurements.',
    bias: 'A bound, not an estimate: the actual error is smaller. Devices with the same boot id share one clock.',
    id: 'clock.uncertainty',
    label: 'Clock uncertainty',
    group: 'device',
    unit: 'ms',
    quantity: 'positive',
    resolution: { step: 0.001 },
    better: 'lower',
    role: null,
    help: 'Maximum error of a one-way latency, from the clock offsets before and after the run and their drift. 0 if the devices share one kernel.',
    from: (evidence) => toMs(latencyBoundUs(evidence)),
  },
  {
    source: 'Start of the measure phase as reported by each device: its monotonic clock minus its offset.',
    bias: 'The error is at most the clock uncertainty of the two devices.',
    id: 'start.skew',
    label: 'Start skew',
    group: 'device',
    unit: 'ms',
    quantity: 'positive',
    resolution: { step: 0.001 },
    better: 'lower',
    role: null,
    help: 'Time between the first and the last device to start the measure phase. All devices receive the same start time.',
    from: (evidence) => toMs(startSkew(evidence)?.skewUs ?? null),
  },
];
