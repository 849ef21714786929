import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type ClientCertificate, clientCertificates } from '../../domain/plans/trial-spec.ts';

export const clientCertificate: FactorDefinition = {
  id: 'clientCertificate',
  label: 'Client certificate',
  group: 'security',
  audience: 'expert',
  help: 'Under mutual TLS each client shows a certificate too, with a key of the same kind as the broker’s.',
  unit: null,
  schema: z.enum(clientCertificates),
  input: { kind: 'choice' },
  defaultLevel: () => 'none',
  options: (testbed) =>
    clientCertificates.map((value) => ({ value, refusal: clientCertificate.refuse(value, {}, testbed) })),
  levelLabel: (value) => (value === 'none' ? 'No client certificate' : 'Mutual TLS'),
  shortLabel: (value) => (value === 'none' ? 'broker only' : 'mutual'),
  applies: (levels) => levels.security !== 'plain',
  refuse: (value, _levels, testbed) => {
    if (value === 'none' || testbed.broker?.clientCertificates) return null;
    return testbed.broker
      ? {
          reason: `${testbed.broker.kind} cannot be told to ask clients for a certificate`,
          remedy: 'Choose a broker that mqttlab configures: Mosquitto or the embedded one.',
        }
      : { reason: 'no broker', remedy: 'Install Mosquitto on the device of the broker.' };
  },
  apply: (spec, value) => ({ ...spec, clientCertificate: value as ClientCertificate | null }),
};
