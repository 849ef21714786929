import * as z from 'zod';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, Levels, Refusal } from '../../domain/factor.ts';
import { type ApplicationProtocol, applicationProtocols } from '../../domain/plans/trial-levels.ts';

const labels: Readonly<Record<ApplicationProtocol, string>> = {
  mqtt: 'MQTT',
  'coap confirmable': 'CoAP confirmable',
  'coap non-confirmable': 'CoAP non-confirmable',
};

/** Maximum payload of one message (RFC 7252 section 4.6). Larger payloads need one exchange per block (RFC 7959). */
const maxPayloadBytes = 1024;

export const applicationProtocol: FactorDefinition = {
  id: 'applicationProtocol',
  label: 'Application protocol',
  group: 'system',
  audience: 'expert',
  help: 'MQTT, or CoAP over UDP. With CoAP, the broker’s device runs a CoAP server and publishers wait for its responses. Compare complete exchanges: PUBLISH to acknowledgement (QoS 1 and 2) with request to response.',
  unit: null,
  schema: z.enum(applicationProtocols),
  input: { kind: 'choice' },
  defaultLevel: () => 'mqtt',
  options: (testbed) =>
    applicationProtocols.map((value) => ({ value, refusal: applicationProtocol.refuse(value, {}, testbed) })),
  levelLabel: (value) => labels[value as ApplicationProtocol],
  shortLabel: (value) => (value === 'mqtt' ? 'MQTT' : value === 'coap confirmable' ? 'CoAP CON' : 'CoAP NON'),
  applies: () => true,
  refuse: (value, levels, testbed) =>
    value === 'mqtt'
      ? null
      : (refuseDevices(value, testbed) ?? refuseSecurity(levels) ?? refusePayload(levels)),
  refuseWorkload: (value, workload) =>
    value === 'mqtt' || workload === 'stream'
      ? null
      : {
          reason: `the workload “${workload}” measures MQTT connections`,
          remedy: 'Choose the workload “stream”, or MQTT.',
        },
  apply: (spec, value) => ({ ...spec, applicationProtocol: (value ?? 'mqtt') as ApplicationProtocol }),
};

/** Whether a factor about brokers, connections or subscribers applies: CoAP has none of them. */
export function isOverMqtt({ applicationProtocol: level = 'mqtt' }: Levels): boolean {
  return level === 'mqtt';
}

function refuseDevices(value: FactorValue, testbed: TestbedView): Refusal | null {
  const device = testbed.clientDevices.find(
    ({ applicationProtocols: known }) => !known.some((one) => one === value),
  );
  return device === undefined
    ? null
    : {
        reason: `the agent on ${device.hostname} does not support CoAP`,
        remedy: 'Upgrade that agent, or choose MQTT.',
      };
}

function refuseSecurity({ security }: Levels): Refusal | null {
  return security === undefined || security === null || security === 'plain'
    ? null
    : {
        reason: `CoAP runs over UDP. ${security} over UDP would mean DTLS, which neither Node.js nor the CoAP library supports`,
        remedy: 'Combine CoAP only with plain.',
      };
}

function refusePayload({
  readingBytes,
  readingsPerMessage,
  payloadCipher,
  payloadEncoding,
}: Levels): Refusal | null {
  const bytes = Number(readingBytes ?? 1) * Number(readingsPerMessage ?? 1);
  if (bytes > maxPayloadBytes) {
    return {
      reason: `${bytes} B do not fit in one CoAP message (${maxPayloadBytes} B); several blocks would need several exchanges`,
      remedy: `Send at most ${maxPayloadBytes} B per message, or choose MQTT.`,
    };
  }
  const isSealed = typeof payloadCipher === 'string' && payloadCipher !== 'none';
  const isEncoded = typeof payloadEncoding === 'string' && payloadEncoding !== 'binary';
  return isSealed || isEncoded
    ? {
        reason: 'payloads are encrypted and encoded for a subscriber, and CoAP has none',
        remedy: 'Send unencrypted, binary payloads, or choose MQTT.',
      }
    : null;
}
