import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { isOverMqtt } from './application-protocol.ts';

export const qos: FactorDefinition = {
  id: 'qos',
  label: 'QoS',
  group: 'message',
  audience: 'everyone',
  help: 'Delivery at most once (0), at least once (1) or exactly once (2); MQTT 5 section 4.3.',
  unit: null,
  schema: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  input: { kind: 'choice' },
  defaultLevel: () => 0,
  options: () => [0, 1, 2].map((value) => ({ value, refusal: null })),
  levelLabel: (value) => `QoS ${value}`,
  shortLabel: (value) => `QoS ${value}`,
  usual: [0, 1, 2],
  // Session abuse publishes at QoS 1: brokers queue no QoS 0 messages for offline clients.
  applies: (levels, workload) =>
    workload !== 'handshake' && workload !== 'availability' && isOverMqtt(levels),
  refuse: () => null,
  apply: (spec, value) => ({ ...spec, qos: (value ?? 0) as 0 | 1 | 2 }),
};
