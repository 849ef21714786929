import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { carriesMessages } from '../workloads.ts';

export const readingsPerMessage: FactorDefinition = {
  id: 'readingsPerMessage',
  label: 'Readings per message',
  group: 'message',
  audience: 'everyone',
  help: 'Batching: fewer, larger messages for the same readings. Each batch is sent when its last reading is due, so the first reading waits the longest.',
  unit: null,
  schema: z.int().min(1).max(65_536),
  input: { kind: 'number', min: 1, max: 65_536, integer: true, presets: [1, 4, 16, 64] },
  defaultLevel: () => 1,
  options: () => [1, 4, 16, 64].map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 1 ? '1 reading per message' : `${value} readings per message`),
  shortLabel: (value) => `batch ${value}`,
  applies: (_levels, workload) => carriesMessages(workload),
  refuse: () => null,
  apply: (spec, value) => ({ ...spec, readingsPerMessage: Number(value ?? 1) }),
};
