import * as z from 'zod';
import type { FactorDefinition, Levels, Refusal } from '../../domain/factor.ts';
import { findPayloadCipherDefinition, payloadCipherDefinitions } from '../ciphers/payload-ciphers.ts';
import { carriesMessages } from '../workloads.ts';

/** Level for payloads that are sent unencrypted. */
const none = 'none';
const levels = [none, ...payloadCipherDefinitions.map(({ id }) => id)] as const;

export const payloadCipher: FactorDefinition = {
  id: 'payloadCipher',
  label: 'Payload cipher',
  group: 'payload',
  audience: 'everyone',
  help: 'Encrypts payloads from publisher to subscriber, so that the broker cannot read them. Can be used with or without TLS. Every run uses new keys.',
  unit: null,
  schema: z.enum(levels),
  input: { kind: 'choice' },
  defaultLevel: () => none,
  options: (testbed) => levels.map((value) => ({ value, refusal: payloadCipher.refuse(value, {}, testbed) })),
  levelLabel: (value) => findPayloadCipherDefinition(String(value))?.label ?? 'Payload in the clear',
  shortLabel: (value) => {
    const label = findPayloadCipherDefinition(String(value))?.label;
    return label === undefined
      ? 'clear payload'
      : `${label.replace('as published, no MAC', 'no MAC').replace('-Poly1305', '')} payload`;
  },
  section: (value) => sectionOf(String(value)),
  caution: (value) => findPayloadCipherDefinition(String(value))?.caution ?? null,
  applies: (_levels, workload) => carriesMessages(workload),
  refuse: (value, chosen, testbed) => {
    if (value === none) return null;
    const device = testbed.clientDevices.find(
      ({ payloadCiphers }) => !payloadCiphers.includes(String(value)),
    );
    if (device !== undefined) {
      return {
        reason: `the agent on ${device.hostname} does not support it`,
        remedy: 'Upgrade that agent, or choose another cipher.',
      };
    }
    // The client factor checks a device without an agent.
    return chosen.client === 'external device' ? null : refuseOtherClients(chosen, 'encrypt payloads');
  },
  apply: (spec, value) => ({
    ...spec,
    payloadCipher: value === null || value === none ? null : String(value),
  }),
};

function sectionOf(id: string): string {
  const definition = findPayloadCipherDefinition(id);
  if (definition === undefined) return 'None';
  return definition.keyAgreement === null ? 'Shared key' : 'Agreed key';
}

/** Refuses other clients, such as mosquitto_pub, because they pass payloads through unchanged. */
export function refuseOtherClients(chosen: Levels, what: string): Refusal | null {
  const { client } = chosen;
  if (client === undefined || client === null || client === 'native') return null;
  return { reason: `${client} cannot ${what}`, remedy: 'Combine it with the native client.' };
}
