import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { carriesMessages } from '../workloads.ts';
import { isOverMqtt } from './application-protocol.ts';

export const subscribers: FactorDefinition = {
  id: 'subscribers',
  label: 'Subscribers',
  group: 'load',
  audience: 'expert',
  help: 'Number of subscribing connections. The broker sends every message to each of them.',
  unit: null,
  schema: z.int().min(1).max(500),
  input: { kind: 'number', min: 1, max: 500, integer: true, presets: [1, 2, 10, 50, 200] },
  defaultLevel: () => 1,
  options: () => [1, 2, 10, 50, 200].map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 1 ? '1 subscriber' : `${value} subscribers`),
  shortLabel: (value) => `${value} sub`,
  applies: (levels, workload) => carriesMessages(workload) && isOverMqtt(levels),
  refuse: () => null,
  apply: (spec, value) => ({ ...spec, subscribers: Number(value ?? 1) }),
};
