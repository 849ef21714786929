import * as z from 'zod';
import { portNumber, within } from '../bounds.ts';
import { sharedRoles } from './device.ts';

/**
 * A publisher or subscriber without an agent, for example an ESP32, a PLC or a phone. It connects to fixed
 * ports of its testbed's broker.
 */
export const externalDeviceSchema = z
  .strictObject({
    /**
     * The name is also the MQTT user name and a level of the device's topics, so special characters are not
     * allowed.
     */
    name: z
      .string()
      .trim()
      .regex(
        /^[A-Za-z0-9]([A-Za-z0-9._-]{0,30}[A-Za-z0-9])?$/,
        'must consist of 1 to 32 letters, digits, dots or hyphens',
      ),
    /**
     * The device's role; an agent measures the other role as usual. A subscriber returns the messages that it
     * receives.
     */
    role: z.enum(sharedRoles).default('publisher'),
    /** The broker's ports in runs without and with TLS. */
    port: portNumber.default(1883),
    tlsPort: portNumber.default(8883),
    /** How long a run waits for the device to connect, in s. */
    waitSeconds: within(z.int('needs a whole number'), 5, 3600).default(60),
    /**
     * For a publisher: it also subscribes to its own messages and reports round-trip latency measured with
     * its own clock. This needs no second clock, but adds traffic and energy.
     */
    roundTrip: z.boolean().default(true),
  })
  .refine(({ port, tlsPort }) => port !== tlsPort, {
    path: ['tlsPort'],
    message: 'must differ from the port without TLS',
  });

/** Settings for the program on an external device. */
export const externalDeviceAccessSchema = z.strictObject({
  device: externalDeviceSchema,
  password: z.string(),
  /** Private P-256 key (PEM, PKCS #8) for the key agreement of payload ciphers. The broker never receives it. */
  payloadKey: z.string(),
  /** PEM of the testbed's CA certificate; the CA signs the broker's certificate in runs with TLS. */
  authority: z.string(),
  /** Name in the broker's certificate. */
  serverName: z.string(),
  /** Addresses of the broker's device, by link. */
  addresses: z.array(z.strictObject({ link: z.string(), address: z.string() })),
});

export type ExternalDevice = z.infer<typeof externalDeviceSchema>;
export type ExternalDeviceAccess = z.infer<typeof externalDeviceAccessSchema>;
