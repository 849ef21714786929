import * as z from 'zod';
import { portNumber } from '../bounds.ts';
import { mqttVersions } from '../plans/trial-spec.ts';

const fields = {
  /** What people call it: "RabbitMQ 3.10". */
  label: z.string().trim().min(1, 'needs a name').max(60),
  /** An IP address or a host name, as the broker's device reaches it. */
  address: z
    .string()
    .trim()
    .min(1, 'needs an address')
    .max(253)
    .regex(/^[\w.:-]+$/, 'needs an IP address or a host name, without port or scheme'),
  /** Of plain MQTT over TCP; null where it is not offered. */
  port: portNumber.nullable(),
  tlsPort: portNumber.nullable(),
  websocketPort: portNumber.nullable(),
  mqttVersions: z.array(z.enum(mqttVersions)).min(1, 'needs at least one version'),
  /** PEM of the authority that signed its certificate; null: the testbed's own. */
  authority: z
    .string()
    .max(65_536)
    .regex(/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/, 'needs a certificate in PEM')
    .nullable(),
  /** The name in its certificate; null: its address. */
  serverName: z
    .string()
    .max(253)
    .regex(/^[\w.:-]+$/, 'needs a host name')
    .nullable(),
  username: z.string().min(1).max(200).nullable(),
  /** What to sample on the broker's device: a process by name, or a systemd unit; null: nothing. */
  process: z
    .string()
    .regex(/^[\w.@:-]{1,64}$/, 'needs the name of a program')
    .nullable(),
  unit: z
    .string()
    .regex(/^[\w.@:-]{1,128}$/, 'needs the name of a unit')
    .nullable(),
};

/** A broker that somebody else runs: nothing of it is started or stopped. Its password is never told. */
export const externalBrokerSchema = z.strictObject({ ...fields, hasPassword: z.boolean() });

/** What is set: without a password the one that is kept stays, null takes it away. */
export const externalBrokerSettingsSchema = z
  .strictObject({ ...fields, password: z.string().max(200).nullable().optional() })
  .refine(({ port, tlsPort, websocketPort }) => port !== null || tlsPort !== null || websocketPort !== null, {
    path: ['port'],
    message: 'needs at least one port: plain, TLS or WebSocket',
  })
  .refine(({ username, password }) => username !== null || !password, {
    path: ['username'],
    message: 'is needed with a password',
  });

export type ExternalBroker = z.infer<typeof externalBrokerSchema>;
export type ExternalBrokerSettings = z.infer<typeof externalBrokerSettingsSchema>;

/** What decides who gets the password. */
const placeFields = ['address', 'port', 'tlsPort', 'websocketPort', 'authority', 'serverName'] as const;
type Place = Pick<ExternalBroker, (typeof placeFields)[number]>;

/** Whether both lead to the same broker, which shows a certificate of the same authority. */
export function isSamePlace(one: Place, other: Place): boolean {
  return placeFields.every((field) => one[field] === other[field]);
}
