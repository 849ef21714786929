import * as z from 'zod';
import { instantMs } from '../domain/bounds.ts';

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

/** One of `key` (PEM) and `fingerprint`. */
export const addSignerSchema = z.strictObject({
  name,
  key: z.string().max(4000).optional(),
  fingerprint: fingerprint.optional(),
});
