import * as z from 'zod';
import { mqttVersions } from './trial-spec.ts';

/** A broker that somebody else runs: nothing of it is started or stopped. */
export const externalBrokerSchema = z.strictObject({
  /** What people call it: "RabbitMQ 3.10". */
  label: z.string().min(1).max(60),
  address: z.string().min(1).max(253),
  /** Of plain MQTT over TCP; null where it is not offered. */
  port: z.int().min(1).max(65_535).nullable(),
  tlsPort: z.int().min(1).max(65_535).nullable(),
  websocketPort: z.int().min(1).max(65_535).nullable(),
  mqttVersions: z.array(z.enum(mqttVersions)).min(1),
  /** PEM of the authority that signed its certificate; null: the testbed's own. */
  authority: z.string().max(65_536).nullable(),
  /** The name in its certificate. */
  serverName: z.string().max(253).nullable(),
  username: z.string().max(200).nullable(),
  password: z.string().max(200).nullable(),
  /** What to sample on the broker's device: a process by name, or a systemd unit; null: nothing. */
  process: z
    .string()
    .regex(/^[\w.@:-]{1,64}$/)
    .nullable(),
  unit: z
    .string()
    .regex(/^[\w.@:-]{1,128}$/)
    .nullable(),
});

export type ExternalBroker = z.infer<typeof externalBrokerSchema>;
