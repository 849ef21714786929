import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type BrokerHardening, brokerHardenings } from '../../domain/plans/trial-spec.ts';

export const brokerHardening: FactorDefinition = {
  id: 'brokerHardening',
  label: 'Broker limits',
  group: 'system',
  audience: 'expert',
  help: 'Default: Mosquitto’s default settings, with the usual service limit of 1,024 open files. Hardened: limits on connections, keep-alive, queued messages and session lifetime.',
  unit: null,
  schema: z.enum(brokerHardenings),
  input: { kind: 'choice' },
  defaultLevel: () => 'as published',
  options: () => brokerHardenings.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 'hardened' ? 'Hardened broker' : 'Default broker'),
  shortLabel: (value) => (value === 'hardened' ? 'hardened broker' : 'default broker'),
  applies: (_levels, workload) => workload === 'availability',
  // With MQTT versions before 5, the broker refuses clients without a keep-alive; with MQTT 5, it can assign
  // one to them.
  refuse: (value, { mqttVersion }) =>
    value === 'hardened' && typeof mqttVersion === 'string' && mqttVersion !== '5.0'
      ? {
          reason: `its keep-alive limit refuses all MQTT ${mqttVersion} clients`,
          remedy: 'Combine the hardened broker with MQTT 5.0.',
        }
      : null,
  apply: (spec, value) => ({ ...spec, brokerHardening: (value ?? 'as published') as BrokerHardening }),
};
