import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { latencyBoundUs, toMs } from '../evidence/evidence.ts';
import { startSkew } from '../evidence/shaping-evidence.ts';

export const clockMetrics: readonly MetricDefinition[] = [
  {
    source:
      'Twelve exchanges of four time stamps between server and agent (RFC 5905 section 8) before and after the run: half the least round trip, and the drift between.',
    bias: 'A bound, not an estimate: the true error is smaller. Devices with the same boot id share one clock.',
    id: 'clock.uncertainty',
    label: 'Clock uncertainty',
    group: 'device',
    unit: 'ms',
    quantity: 'positive',
    resolution: { step: 0.001 },
    better: 'lower',
    role: null,
    help: 'Most that a one-way latency can be wrong by: offsets before and after the run, with their drift; 0 on one kernel.',
    from: (evidence) => toMs(latencyBoundUs(evidence)),
  },
  {
    source: 'Begin of the measure phase as reported by each device, by its monotonic clock minus its offset.',
    bias: 'Wrong by at most the clock uncertainty of the two devices.',
    id: 'start.skew',
    label: 'Start skew',
    group: 'device',
    unit: 'ms',
    quantity: 'positive',
    resolution: { step: 0.001 },
    better: 'lower',
    role: null,
    help: 'Between the first and the last device that begins the measure phase. All devices receive the same start time.',
    from: (evidence) => toMs(startSkew(evidence)?.skewUs ?? null),
  },
];
