import * as z from 'zod';
import { count, instantMs } from '../domain/bounds.ts';

const fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'is not a fingerprint: "SHA256:" and 43 characters');
const name = z.string().trim().min(1, 'is empty').max(120);

/** A key whose bundles are shown with the name of their signer. A signature shows integrity, not who measured. */
export const signerSchema = z.strictObject({
  id: z.int(),
  /** Of the public key, as SSH writes it. */
  fingerprint,
  name,
  createdAt: instantMs,
});

export type Signer = z.infer<typeof signerSchema>;

/** A key that signed imported experiments and that no trusted signer has. */
const unknownSignerSchema = z.strictObject({
  fingerprint,
  experiments: count,
  /** The last of them. */
  lastExperiment: z.strictObject({ id: z.int(), name: z.string() }),
});

export type UnknownSigner = z.infer<typeof unknownSignerSchema>;

export const signerListSchema = z.strictObject({
  items: z.array(signerSchema),
  unknown: z.array(unknownSignerSchema),
});

export type SignerList = z.infer<typeof signerListSchema>;

/** One of `key` (PEM) and `fingerprint`. */
export const addSignerSchema = z.strictObject({
  name,
  key: z.string().max(4000).optional(),
  fingerprint: fingerprint.optional(),
});
