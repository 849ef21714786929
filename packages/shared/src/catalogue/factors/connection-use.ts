import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type ConnectionUse, connectionUses } from '../../domain/plans/trial-spec.ts';
import { isOverMqtt } from './application-protocol.ts';

export const connectionUse: FactorDefinition = {
  id: 'connectionUse',
  label: 'Connection',
  group: 'load',
  audience: 'expert',
  help: 'Publishers keep their connection open, or open a new connection for each message, like a device that sleeps between messages.',
  unit: null,
  schema: z.enum(connectionUses),
  input: { kind: 'choice' },
  defaultLevel: () => 'kept',
  options: () => connectionUses.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 'kept' ? 'connection kept' : 'a connection for each message'),
  shortLabel: (value) => (value === 'kept' ? 'kept' : 'per message'),
  // The other workloads define when connections open and close.
  applies: (levels, workload) => workload === 'stream' && isOverMqtt(levels),
  refuse: () => null,
  apply: (spec, value) => ({ ...spec, connectionUse: (value ?? 'kept') as ConnectionUse }),
};
