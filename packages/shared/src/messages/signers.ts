import * as z from 'zod';
import { count, instantMs } from '../domain/bounds.ts';

const fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'is not a fingerprint ("SHA256:" and 43 characters)');
const name = z.string().trim().min(1, 'is empty').max(120);

/**
 * A trusted key; bundles signed with it show the signer's name. A signature proves integrity, but not who
 * made the measurements.
 */
export const signerSchema = z.strictObject({
  id: z.int(),
  /** Fingerprint of the public key in SSH format. */
  fingerprint,
  name,
  createdAt: instantMs,
});

export type Signer = z.infer<typeof signerSchema>;

/** A key that signed imported experiments but is not trusted. */
const unknownSignerSchema = z.strictObject({
  fingerprint,
  experiments: count,
  /** The latest of these experiments. */
  lastExperiment: z.strictObject({ id: z.int(), name: z.string() }),
});

export type UnknownSigner = z.infer<typeof unknownSignerSchema>;

export const signerListSchema = z.strictObject({
  items: z.array(signerSchema),
  unknown: z.array(unknownSignerSchema),
});

export type SignerList = z.infer<typeof signerListSchema>;

/** Requires either `key` (PEM) or `fingerprint`. */
export const addSignerSchema = z.strictObject({
  name,
  key: z.string().max(4000).optional(),
  fingerprint: fingerprint.optional(),
});
