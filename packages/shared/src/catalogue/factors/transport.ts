import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type MqttTransport, transports } from '../../domain/plans/trial-spec.ts';
import { isOverMqtt } from './application-protocol.ts';

const labels: Readonly<Record<MqttTransport, string>> = { tcp: 'TCP', websocket: 'WebSocket' };

export const transport: FactorDefinition = {
  id: 'transport',
  label: 'Transport',
  group: 'network',
  audience: 'expert',
  help: 'MQTT straight on TCP (or TLS), or in WebSocket frames as browsers need it: one more round trip and 2 to 14 bytes for each frame (RFC 6455).',
  unit: null,
  schema: z.enum(transports),
  input: { kind: 'choice' },
  defaultLevel: () => 'tcp',
  options: (testbed) => transports.map((value) => ({ value, refusal: transport.refuse(value, {}, testbed) })),
  levelLabel: (value) => labels[value as MqttTransport],
  shortLabel: (value) => labels[value as MqttTransport],
  applies: isOverMqtt,
  refuse: (value, _levels, testbed) =>
    testbed.broker && !testbed.broker.transports.includes(value as MqttTransport)
      ? {
          reason: `the ${testbed.broker.kind} broker does not listen for ${labels[value as MqttTransport]}`,
          remedy: 'Choose a broker that was built with it, or another transport.',
        }
      : null,
  apply: (spec, value) => ({ ...spec, transport: (value ?? 'tcp') as MqttTransport }),
};
