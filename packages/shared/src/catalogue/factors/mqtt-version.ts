import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type MqttVersion, mqttVersions } from '../../domain/plans/trial-spec.ts';
import { isOverMqtt } from './application-protocol.ts';

export const mqttVersion: FactorDefinition = {
  id: 'mqttVersion',
  label: 'MQTT version',
  group: 'message',
  audience: 'expert',
  help: 'Version 5.0 adds properties to every packet, such as flow control, which costs a few bytes.',
  unit: null,
  schema: z.enum(mqttVersions),
  input: { kind: 'choice' },
  defaultLevel: ({ chosenBrokers }) =>
    chosenBrokers.every((broker) => broker.mqttVersions.includes('5.0')) ? '5.0' : '3.1.1',
  options: (testbed) =>
    mqttVersions.map((value) => ({ value, refusal: mqttVersion.refuse(value, {}, testbed) })),
  levelLabel: (value) => `MQTT ${value}`,
  shortLabel: (value) => `MQTT ${value}`,
  applies: isOverMqtt,
  refuse: (value, _levels, testbed) =>
    testbed.broker && !testbed.broker.mqttVersions.includes(value as MqttVersion)
      ? {
          reason: `the ${testbed.broker.kind} broker does not support MQTT ${value}`,
          remedy: 'Install Mosquitto on the broker device, or choose another version.',
        }
      : null,
  apply: (spec, value) => ({ ...spec, mqttVersion: (value ?? '5.0') as MqttVersion }),
};
