import * as z from 'zod';
import { logLineSchema } from '../domain/runs/role-result.ts';

export const experimentLogQuerySchema = z.strictObject({
  /** Lines older than this one; without it the newest. */
  before: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(5000).default(500),
});

export const experimentLogSchema = z.strictObject({
  /** Newest first. */
  items: z.array(z.strictObject({ id: z.int(), runId: z.int().nullable(), line: logLineSchema })),
  /** Of all lines. */
  total: z.int(),
});

export type ExperimentLog = z.infer<typeof experimentLogSchema>;
