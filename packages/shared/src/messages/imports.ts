import * as z from 'zod';

/** A research bundle on its way in. */
export const bundleImportSchema = z.strictObject({
  /** As whoever sends it chose it. */
  key: z.string(),
  /** Bytes while it is received, files while they are checked, runs while they are stored. */
  state: z.enum(['receiving', 'waiting', 'checking', 'storing']),
  done: z.number(),
  /** null where that is not known. */
  all: z.number().nullable(),
});

export type BundleImport = z.infer<typeof bundleImportSchema>;
