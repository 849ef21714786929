import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { carriesMessages } from '../workloads.ts';
import { isOverMqtt } from './application-protocol.ts';

const own = 'each gets all';
const shared = 'shared';

export const sharedSubscription: FactorDefinition = {
  id: 'sharedSubscription',
  label: 'Subscription',
  group: 'load',
  audience: 'expert',
  help: 'Whether every subscriber receives every message, or all subscribers share one subscription and each message is sent to one of them (MQTT 5 section 4.8.2).',
  unit: null,
  schema: z.enum([own, shared]),
  input: { kind: 'choice' },
  defaultLevel: () => own,
  options: (testbed) =>
    [own, shared].map((value) => ({ value, refusal: sharedSubscription.refuse(value, {}, testbed) })),
  levelLabel: (value) => (value === shared ? 'one shared subscription' : 'each subscriber gets all'),
  shortLabel: (value) => (value === shared ? 'shared' : 'each all'),
  // Sharing needs at least two subscribers.
  applies: (levels, workload) => carriesMessages(workload) && isOverMqtt(levels) && levels.subscribers !== 1,
  refuse: (value, levels, testbed) => {
    if (value !== shared) return null;
    const { mqttVersion } = levels;
    if (mqttVersion !== undefined && mqttVersion !== null && mqttVersion !== '5.0') {
      return {
        reason: `MQTT ${mqttVersion} has no shared subscriptions`,
        remedy: 'Combine it with MQTT 5.0.',
      };
    }
    return testbed.broker?.sharedSubscriptions === false
      ? {
          reason: `the ${testbed.broker.kind} broker does not support shared subscriptions`,
          remedy: 'Choose Mosquitto 1.6 or later as the broker, or let each subscriber receive all messages.',
        }
      : null;
  },
  apply: (spec, value) => ({ ...spec, sharedSubscription: value === shared }),
};
