import * as z from 'zod';

export const storageTroubles = ['full', 'read-only', 'io', 'corrupt', 'gone'] as const;

/** Why the server cannot keep anything now; what it has can still be read. */
export const storageTroubleSchema = z.strictObject({
  code: z.enum(storageTroubles),
  message: z.string(),
  remedy: z.string(),
  /** Unix ms. */
  since: z.number(),
});

export type StorageTrouble = z.infer<typeof storageTroubleSchema>;
