import * as z from 'zod';
import { bridgeRoles, cloudCipher, cloudLegOf } from '../../domain/devices/device.ts';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { FactorDefinition, Levels, Refusal } from '../../domain/factor.ts';
import { neutralSpec, type Topology, topologies } from '../../domain/plans/trial-spec.ts';
import { carriesMessages } from '../workloads.ts';
import { isOverMqtt } from './application-protocol.ts';

const bridged = 're-encrypting bridge' satisfies Topology;

const labels: Readonly<Record<Topology, string>> = {
  direct: 'Direct',
  're-encrypting bridge': 'Re-encrypting bridge',
};

export const topology: FactorDefinition = {
  id: 'topology',
  label: 'Topology',
  group: 'network',
  audience: 'expert',
  help: 'Direct: publisher, broker, subscriber. Bridge: the bridge receives messages from the local broker, verifies and decrypts them, and re-encrypts them with a separate AES-256-GCM key. It then publishes them over TLS 1.3 to a cloud broker, to which the subscriber is connected.',
  unit: null,
  schema: z.enum(topologies),
  input: { kind: 'choice' },
  defaultLevel: () => 'direct',
  options: (testbed) => topologies.map((value) => ({ value, refusal: topology.refuse(value, {}, testbed) })),
  levelLabel: (value) => labels[value as Topology],
  shortLabel: (value) => (value === bridged ? 'bridge' : 'direct'),
  applies: (levels, workload) => isOverMqtt(levels) && carriesMessages(workload),
  refuse: (value, levels, testbed) =>
    value === bridged ? (refuseRoles(testbed) ?? refuseLevels(levels) ?? refuseCloud(testbed)) : null,
  apply: (spec, value) => ({ ...spec, topology: (value ?? 'direct') as Topology }),
};

function refuseRoles({ roles }: TestbedView): Refusal | null {
  const missing = bridgeRoles.find((role) => !roles.includes(role));
  return missing === undefined
    ? null
    : {
        reason: `no device of this testbed has the role ${missing.replace('-', ' ')}`,
        remedy: 'Assign that role to a device on the Devices page, or choose the built-in testbed.',
      };
}

function refuseLevels({ broker, client }: Levels): Refusal | null {
  if (broker === 'external') {
    return {
      reason: 'the local broker of a bridge must queue messages while the bridge is offline',
      remedy: 'Combine it with a broker that this testbed starts.',
    };
  }
  return client === undefined || client === null || client === 'native'
    ? null
    : { reason: `${client} cannot decrypt the bridge’s messages`, remedy: 'Choose the native client.' };
}

/** Checks both ends of the connection to the cloud broker. */
function refuseCloud({ broker, clientDevices }: TestbedView): Refusal | null {
  const { cipherSuite } = cloudLegOf(neutralSpec);
  if (broker && cipherSuite !== null && !broker.tls.suites.includes(cipherSuite)) {
    return {
      reason: `the ${broker.kind} broker does not offer ${cipherSuite}, which protects the connection to the cloud`,
      remedy: 'Choose another broker.',
    };
  }
  const lacking = clientDevices.find(({ payloadCiphers }) => !payloadCiphers.includes(cloudCipher));
  return lacking === undefined
    ? null
    : {
        reason: `the agent on ${lacking.hostname} does not support ${cloudCipher}`,
        remedy: 'Upgrade that agent.',
      };
}
