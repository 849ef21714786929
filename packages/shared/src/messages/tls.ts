import * as z from 'zod';

/** Outcome of replacing the server's CA, for one device. */
const rotatedDeviceSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  /**
   * `pinned`: the device trusts the new CA. `not-needed`: its connection goes through an SSH session.
   * `pending`: the server writes the certificate over SSH when it can reach the device. `by-hand`: the
   * operator must copy the certificate.
   */
  state: z.enum(['pinned', 'not-needed', 'pending', 'by-hand']),
  /** Manual step for the operator; null if none. */
  remedy: z.string().nullable(),
});

export const authorityRotationSchema = z.strictObject({
  /** PEM certificate of the new CA, to import into browsers and command-line clients. */
  certificate: z.string(),
  /** SHA-256 fingerprint of the certificate in browser format. */
  fingerprint: z.string(),
  /** All devices except those on the server's own machine. */
  devices: z.array(rotatedDeviceSchema),
});

export type AuthorityRotation = z.infer<typeof authorityRotationSchema>;
export type RotatedDevice = AuthorityRotation['devices'][number];
