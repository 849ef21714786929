import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';

export const publishers: FactorDefinition = {
  id: 'publishers',
  label: 'Publishers',
  group: 'load',
  audience: 'expert',
  help: 'Connections that publish, each at the full rate, spread evenly over one interval. Handshakes are made by so many at once.',
  unit: null,
  schema: z.int().min(1).max(500),
  input: { kind: 'number', min: 1, max: 500, integer: true, presets: [1, 2, 5, 10, 50] },
  defaultLevel: () => 1,
  options: () => [1, 2, 5, 10, 50].map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 1 ? '1 publisher' : `${value} publishers`),
  shortLabel: (value) => `${value} pub`,
  applies: (_levels, workload) => workload !== 'states' && workload !== 'availability',
  refuse: () => null,
  apply: (spec, value) => ({ ...spec, publishers: Number(value ?? 1) }),
};
