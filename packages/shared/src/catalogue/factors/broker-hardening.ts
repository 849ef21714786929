import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type BrokerHardening, brokerHardenings } from '../../domain/plans/trial-spec.ts';

export const brokerHardening: FactorDefinition = {
  id: 'brokerHardening',
  label: 'Broker limits',
  group: 'system',
  audience: 'expert',
  help: 'Default: Mosquitto’s defaults, with the 1,024 files that a service may open. Hardened: limits on connections, keep-alive, queued messages and the life of sessions.',
  unit: null,
  schema: z.enum(brokerHardenings),
  input: { kind: 'choice' },
  defaultLevel: () => 'as published',
  options: () => brokerHardenings.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 'hardened' ? 'Hardened broker' : 'Default broker'),
  shortLabel: (value) => (value === 'hardened' ? 'hardened broker' : 'default broker'),
  applies: (_levels, workload) => workload === 'availability',
  // A client that announces no keep-alive is refused before MQTT 5, where the broker can tell it another one.
  refuse: (value, { mqttVersion }) =>
    value === 'hardened' && typeof mqttVersion === 'string' && mqttVersion !== '5.0'
      ? {
          reason: `its limit of the keep-alive refuses clients of MQTT ${mqttVersion} altogether`,
          remedy: 'Combine a hardened broker with MQTT 5.0.',
        }
      : null,
  apply: (spec, value) => ({ ...spec, brokerHardening: (value ?? 'as published') as BrokerHardening }),
};
