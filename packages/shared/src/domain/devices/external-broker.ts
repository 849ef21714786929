import * as z from 'zod';
import { portNumber } from '../bounds.ts';
import { mqttVersions } from '../plans/trial-levels.ts';

const fields = {
  /** Display name, for example "RabbitMQ 3.10". */
  label: z.string().trim().min(1, 'needs a name').max(60),
  /** IP address or host name, as reachable from the broker's device. */
  address: z
    .string()
    .trim()
    .min(1, 'needs an address')
    .max(253)
    .regex(/^[\w.:-]+$/, 'must be an IP address or a host name, without port or scheme'),
  /** Port for plain MQTT over TCP; null if not offered. */
  port: portNumber.nullable(),
  tlsPort: portNumber.nullable(),
  websocketPort: portNumber.nullable(),
  mqttVersions: z.array(z.enum(mqttVersions)).min(1, 'needs at least one version'),
  /** PEM of the CA that signed the broker's certificate; null if it is the testbed's own CA. */
  authority: z
    .string()
    .max(65_536)
    .regex(/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/, 'needs a certificate in PEM')
    .nullable(),
  /** Name in the broker's certificate; null if it is the address. */
  serverName: z
    .string()
    .max(253)
    .regex(/^[\w.:-]+$/, 'needs a host name')
    .nullable(),
  username: z.string().min(1).max(200).nullable(),
  /** What to sample on the broker's device: a process name or a systemd unit; null if nothing is sampled. */
  process: z
    .string()
    .regex(/^[\w.@:-]{1,64}$/, 'must be the name of a program')
    .nullable(),
  unit: z
    .string()
    .regex(/^[\w.@:-]{1,128}$/, 'must be the name of a systemd unit')
    .nullable(),
};

/** A broker that mqttlab neither starts nor stops. Its password is never returned. */
export const externalBrokerSchema = z.strictObject({ ...fields, hasPassword: z.boolean() });

/** Settings to save: if the password is omitted, the stored password is kept; null removes it. */
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

/** Fields that determine which broker receives the password. */
const placeFields = ['address', 'port', 'tlsPort', 'websocketPort', 'authority', 'serverName'] as const;
type Place = Pick<ExternalBroker, (typeof placeFields)[number]>;

/** True if both settings refer to the same broker, with a certificate from the same CA. */
export function isSamePlace(one: Place, other: Place): boolean {
  return placeFields.every((field) => one[field] === other[field]);
}
