import * as z from 'zod';
import type { FactorDefinition, Levels, Refusal } from '../../domain/factor.ts';
import { type BrokerKind, type MqttTransport, transports } from '../../domain/plans/trial-spec.ts';
import { describeSuite } from '../ciphers/suites.ts';
import { isOverMqtt } from './application-protocol.ts';

const labels: Readonly<Record<MqttTransport, string>> = { tcp: 'TCP', websocket: 'WebSocket' };

export const transport: FactorDefinition = {
  id: 'transport',
  label: 'Transport',
  group: 'network',
  audience: 'expert',
  help: 'MQTT directly over TCP (or TLS), or in WebSocket frames, as browsers require. WebSocket costs one more round trip and 2 to 14 bytes per frame (RFC 6455).',
  unit: null,
  schema: z.enum(transports),
  input: { kind: 'choice' },
  defaultLevel: () => 'tcp',
  options: (testbed) => transports.map((value) => ({ value, refusal: transport.refuse(value, {}, testbed) })),
  levelLabel: (value) => labels[value as MqttTransport],
  shortLabel: (value) => labels[value as MqttTransport],
  applies: isOverMqtt,
  refuse: (value, levels, { broker }) => {
    if (!broker) return null;
    if (!broker.transports.includes(value as MqttTransport)) {
      return {
        reason: `the ${broker.kind} broker does not support ${labels[value as MqttTransport]}`,
        remedy: 'Choose a broker that supports it, or another transport.',
      };
    }
    return value === 'websocket' ? refuseFiniteField(levels, broker.kind) : null;
  },
  apply: (spec, value) => ({ ...spec, transport: (value ?? 'tcp') as MqttTransport }),
};

/**
 * Refuses finite-field suites, because Mosquitto 2.0 passes `dhparamfile` to OpenSSL for its own listeners,
 * but not to libwebsockets.
 */
function refuseFiniteField({ cipherSuite }: Levels, broker: BrokerKind): Refusal | null {
  if (broker !== 'mosquitto' || typeof cipherSuite !== 'string') return null;
  return describeSuite(cipherSuite).keyExchange === 'DHE'
    ? {
        reason: 'Mosquitto has no Diffie-Hellman parameters for WebSocket, so a DHE handshake fails',
        remedy: 'Choose TCP, an ECDHE suite or the embedded broker.',
      }
    : null;
}
