import * as z from 'zod';

/** What became of a device when the server's authority was replaced. */
const rotatedDeviceSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  /**
   * `pinned`: it trusts the new authority. `not-needed`: its connection goes through an SSH session. `pending`: the
   * server writes the certificate over SSH when it reaches the device. `by-hand`: the operator has to copy it.
   */
  state: z.enum(['pinned', 'not-needed', 'pending', 'by-hand']),
  /** What the operator has to do; null for nothing. */
  remedy: z.string().nullable(),
});

export const authorityRotationSchema = z.strictObject({
  /** PEM certificate of the new authority, to import in browsers and command lines. */
  certificate: z.string(),
  /** SHA-256 of the certificate, as browsers show it. */
  fingerprint: z.string(),
  /** All but the agents on the server's own machine. */
  devices: z.array(rotatedDeviceSchema),
});

export type AuthorityRotation = z.infer<typeof authorityRotationSchema>;
export type RotatedDevice = AuthorityRotation['devices'][number];
