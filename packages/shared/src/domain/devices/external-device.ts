import * as z from 'zod';
import { portNumber, within } from '../bounds.ts';
import { sharedRoles } from './device.ts';

/** A publisher or subscriber without an agent: an ESP32, a PLC, a phone. The broker of its testbed waits for it on fixed ports. */
export const externalDeviceSchema = z
  .strictObject({
    /** Its MQTT user name too, and a level of its topics: no characters that mean something there. */
    name: z
      .string()
      .trim()
      .regex(
        /^[A-Za-z0-9]([A-Za-z0-9._-]{0,30}[A-Za-z0-9])?$/,
        'needs 1 to 32 letters, digits, dots, hyphens',
      ),
    /** Which role it plays; the agent of the other measures as always. A subscriber sends back what it receives. */
    role: z.enum(sharedRoles).default('publisher'),
    /** Where the broker listens in runs without TLS, and in runs with it. */
    port: portNumber.default(1883),
    tlsPort: portNumber.default(8883),
    /** So long a run waits for it to connect. */
    waitSeconds: within(z.int('needs a whole number'), 5, 3600).default(60),
    /**
     * Of a publisher: it also receives what it sends and reports how long that took, by its own clock: latency without a second clock,
     * for traffic and energy of its own.
     */
    roundTrip: z.boolean().default(true),
  })
  .refine(({ port, tlsPort }) => port !== tlsPort, {
    path: ['tlsPort'],
    message: 'needs another port than that without TLS',
  });

/** What a program needs to play it. */
export const externalDeviceAccessSchema = z.strictObject({
  device: externalDeviceSchema,
  password: z.string(),
  /** PEM (PKCS #8) on P-256: its half of the key agreement of payload ciphers. The broker never gets it. */
  payloadKey: z.string(),
  /** PEM of the authority of the testbed, which signs the broker's certificate in runs with TLS. */
  authority: z.string(),
  /** The name in that certificate. */
  serverName: z.string(),
  /** Of the broker's device, by link. */
  addresses: z.array(z.strictObject({ link: z.string(), address: z.string() })),
});

export type ExternalDevice = z.infer<typeof externalDeviceSchema>;
export type ExternalDeviceAccess = z.infer<typeof externalDeviceAccessSchema>;
