import * as z from 'zod';
import { cloudAuthentications } from '../../domain/devices/device.ts';
import { makeOptionFactor, type OptionFactor } from '../make-factor.ts';

const [brokerOnly] = cloudAuthentications;

export const cloudAuthentication: OptionFactor<(typeof cloudAuthentications)[number]> = makeOptionFactor({
  id: 'cloudAuthentication',
  label: 'Cloud authentication',
  group: 'security',
  audience: 'expert',
  help: 'Who shows a certificate behind the bridge: the cloud broker only, or bridge and subscriber too, each to be let in.',
  unit: null,
  schema: z.enum(cloudAuthentications),
  neutral: brokerOnly,
  input: { kind: 'choice' },
  defaultLevel: () => brokerOnly,
  options: (testbed) =>
    cloudAuthentications.map((value) => ({ value, refusal: cloudAuthentication.refuse(value, {}, testbed) })),
  levelLabel: (value) => (value === brokerOnly ? 'Cloud broker only' : 'Mutual TLS with the cloud'),
  shortLabel: (value) => (value === brokerOnly ? 'cloud broker only' : 'mutual TLS with the cloud'),
  applies: ({ topology }) => topology === 're-encrypting bridge',
  refuse: (value, _levels, { broker }) =>
    value === brokerOnly || broker?.clientCertificates
      ? null
      : {
          reason: `${broker?.kind ?? 'no broker'} cannot be told to ask clients for a certificate`,
          remedy: 'Choose a broker that mqttlab configures: Mosquitto or the embedded one.',
        },
});
