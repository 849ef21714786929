import * as z from 'zod';
import type { ExternalBroker } from '../../domain/devices/external-broker.ts';
import { type TestbedView, withBroker } from '../../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, Levels, Refusal } from '../../domain/factor.ts';
import { type BrokerKind, brokerKinds } from '../../domain/plans/trial-spec.ts';
import { isOverMqtt } from './application-protocol.ts';

const schema = z.enum(brokerKinds);

const labels: Readonly<Record<BrokerKind, string>> = {
  mosquitto: 'Mosquitto',
  embedded: 'Embedded (aedes)',
  external: 'External broker',
};

const missing: Readonly<Record<BrokerKind, Refusal>> = {
  mosquitto: {
    reason: 'Mosquitto is not installed on the broker device',
    remedy: 'Install it on that device (Debian: apt-get install mosquitto), or choose another broker.',
  },
  embedded: {
    reason: "the broker device's agent was started without it",
    remedy: 'Add "embedded" to the agent’s brokers and restart the agent, or choose another broker.',
  },
  external: {
    reason: 'this testbed has no external broker',
    remedy: 'Set its address on the Devices page, or choose another broker.',
  },
};

export const broker: FactorDefinition = {
  id: 'broker',
  label: 'Broker',
  group: 'system',
  audience: 'everyone',
  help: 'Mosquitto and the embedded broker are started for each run. mqttlab measures an external broker but does not manage it.',
  unit: null,
  schema,
  input: { kind: 'choice' },
  defaultLevel: (testbed) => testbed.brokers[0]?.kind ?? 'mosquitto',
  options: (testbed) => brokerKinds.map((value) => ({ value, refusal: broker.refuse(value, {}, testbed) })),
  levelLabel: nameOf,
  shortLabel: nameOf,
  applies: isOverMqtt,
  refuse: (value, levels, testbed) => {
    const kind = value as BrokerKind;
    if (withBroker(testbed, kind).broker === null) return missing[kind];
    const external = kind === 'external' ? testbed.externalBroker : null;
    return external && refuseWay(external, levels);
  },
  refuseWorkload: (value, workload) =>
    value === 'mosquitto' || workload !== 'availability'
      ? null
      : {
          reason:
            value === 'external'
              ? 'only a broker that this testbed starts can be attacked'
              : 'its limits on sessions cannot be set',
          remedy: 'Choose Mosquitto, which is started for the run and removed after it.',
        },
  apply: (spec, value) => ({ ...spec, broker: (value ?? 'mosquitto') as BrokerKind }),
};

/**
 * Refuses a protocol and transport for which the external broker has no port; TLS over WebSocket never has
 * one.
 */
function refuseWay(external: ExternalBroker, { security, transport }: Levels): Refusal | null {
  if (typeof security !== 'string') return null;
  const secure = security !== 'plain';
  const webSocketPort = secure ? null : external.websocketPort;
  const port = transport === 'websocket' ? webSocketPort : secure ? external.tlsPort : external.port;
  if (port !== null) return null;
  const way = `${secure ? 'TLS' : 'plain MQTT'}${transport === 'websocket' ? ' over WebSocket' : ''}`;
  return {
    reason: `${external.label} has no port for ${way}`,
    remedy: 'Set it on the Devices page, or choose another protocol or transport.',
  };
}

function nameOf(value: FactorValue, testbed?: TestbedView): string {
  const own = value === 'external' ? testbed?.externalBroker?.label : undefined;
  return own ?? labels[value as BrokerKind];
}
