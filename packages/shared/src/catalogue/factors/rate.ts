import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { carriesMessages } from '../workloads.ts';

/** Maximum readings per second that one publisher can pace; for higher rates, use "max". */
const maxPerSecond = 200_000;

export const rate: FactorDefinition = {
  id: 'rate',
  label: 'Rate',
  group: 'load',
  audience: 'everyone',
  help: 'Readings per second and publisher on a fixed schedule, or as fast as the window allows.',
  unit: '/s',
  schema: z.union([z.literal('max'), z.number().min(0.01).max(maxPerSecond)]),
  input: { kind: 'number', min: 0.01, max: maxPerSecond, integer: false, presets: [10, 100, 1000, 10_000] },
  defaultLevel: () => 100,
  options: () => [10, 100, 1000, 10_000, 'max' as const].map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 'max' ? 'as fast as possible' : `${value} readings/s`),
  shortLabel: (value) => (value === 'max' ? 'max rate' : `${value}/s`),
  applies: (_levels, workload) => carriesMessages(workload),
  refuse: (value, levels) => {
    const publishers = levels.publishers;
    if (value === 'max' || typeof publishers !== 'number') return null;
    return Number(value) * publishers > 2 * maxPerSecond
      ? {
          reason: `${publishers} publishers x ${value} readings/s exceed the rate that one device can pace`,
          remedy: `Stay under ${2 * maxPerSecond} readings/s in total, or choose "as fast as possible".`,
        }
      : null;
  },
  apply: (spec, value) => ({ ...spec, readingsPerSecond: value === 'max' ? null : Number(value ?? 100) }),
};
