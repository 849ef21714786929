import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type BrokerHardening, brokerHardenings } from '../../domain/trial-spec.ts';

export const brokerHardening: FactorDefinition = {
  id: 'brokerHardening',
  label: 'Broker limits',
  group: 'system',
  audience: 'expert',
  help: 'As published: Mosquitto as it comes, with the 1,024 files that a service may open. Hardened: limits on connections, keep-alive, queued messages and the life of sessions.',
  unit: null,
  schema: z.enum(brokerHardenings),
  input: { kind: 'choice' },
  defaultLevel: () => 'as published',
  options: () => brokerHardenings.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 'hardened' ? 'Hardened broker' : 'Broker as published'),
  shortLabel: (value) => String(value),
  applies: (_levels, workload) => workload === 'availability',
  refuse: () => null,
  apply: (spec, value) => ({ ...spec, brokerHardening: (value ?? 'as published') as BrokerHardening }),
};
