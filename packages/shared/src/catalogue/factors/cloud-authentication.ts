import * as z from 'zod';
import { cloudAuthentications } from '../../domain/devices/device.ts';
import { makeOptionFactor, type OptionFactor } from '../make-option-factor.ts';

const [brokerOnly] = cloudAuthentications;

export const cloudAuthentication: OptionFactor<(typeof cloudAuthentications)[number]> = makeOptionFactor({
  id: 'cloudAuthentication',
  label: 'Cloud authentication',
  group: 'security',
  audience: 'expert',
  help: 'Which ends of the cloud connections present a certificate: only the cloud broker, or also the bridge and the subscriber.',
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
          reason: broker ? `${broker.kind} cannot be configured to request client certificates` : 'no broker',
          remedy: 'Choose a broker that mqttlab configures: Mosquitto or the embedded broker.',
        },
});
