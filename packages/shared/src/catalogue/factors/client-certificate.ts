import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type ClientCertificate, clientCertificates } from '../../domain/plans/trial-spec.ts';

export const clientCertificate: FactorDefinition = {
  id: 'clientCertificate',
  label: 'Client certificate',
  group: 'security',
  audience: 'expert',
  help: 'With mutual TLS, each client also presents a certificate, with a key of the same type as the broker’s.',
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
          reason: `${testbed.broker.kind} cannot be configured to request client certificates`,
          remedy: 'Choose a broker that mqttlab configures: Mosquitto or the embedded broker.',
        }
      : { reason: 'no broker', remedy: 'Install Mosquitto on the broker’s device.' };
  },
  apply: (spec, value) => ({ ...spec, clientCertificate: value as ClientCertificate | null }),
};
