import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { loadLimits } from '../../domain/plans/trial-spec.ts';
import { countLoadAgents } from './load-agents.ts';
import { hasPublishers } from './load-pool.ts';

export const publishers: FactorDefinition = {
  id: 'publishers',
  label: 'Publishers',
  group: 'load',
  audience: 'expert',
  help: 'Number of publishing connections. Each sends at the full rate, and their send times are spread evenly over one interval. In the handshake workload: the number of simultaneous handshakes.',
  unit: null,
  schema: z.int().min(1).max(loadLimits.publishers),
  input: { kind: 'number', min: 1, max: loadLimits.publishers, integer: true, presets: [1, 2, 5, 10, 50] },
  defaultLevel: () => 1,
  options: () => [1, 2, 5, 10, 50].map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 1 ? '1 publisher' : `${value} publishers`),
  shortLabel: (value) => `${value} pub`,
  applies: hasPublishers,
  refuse(value, levels, testbed) {
    const devices = countLoadAgents(levels, testbed);
    const most = Math.max(1, devices) * loadLimits.publishersOfDevice;
    if (Number(value) <= most) return null;
    return {
      reason: `${devices === 1 ? 'one device supports' : `${devices} devices support`} at most ${most} publishers`,
      remedy: 'Use more load agents, or choose fewer publishers.',
    };
  },
  apply: (spec, value) => ({ ...spec, publishers: Number(value ?? 1) }),
};
