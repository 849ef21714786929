import * as z from 'zod';
import { measure } from '../domain/bounds.ts';
import { roles } from '../domain/devices/device.ts';
import { baselineWindowSchema, meterGapsSchema } from '../domain/runs/role-result.ts';

/** A number in a query. */
const number = z
  .string()
  .regex(/^-?\d{1,16}(\.\d{1,6})?$/, 'needs a number')
  .transform(Number)
  .meta({ override: { type: 'number' } });

/** What a meter's CSV is about; the file itself is the body. */
export const meterQuerySchema = z.strictObject({
  /** Whose device the meter measured. */
  role: z.enum(roles),
  /** Its id or name, where several devices played that role. */
  device: z.string().min(1).max(80).optional(),
  /** Unix ms of the first row, where the times of the file count from its start. */
  startedAt: number.optional(),
  /** ms by which the meter's clock is ahead of the server's. */
  aheadMs: number.optional(),
  /** How the meter is called in results. */
  name: z.string().min(1).max(80).optional(),
});

/** What became of it. */
export const meterUploadSchema = z.strictObject({
  role: z.enum(roles),
  /** Name of the device that it measured. */
  device: z.string(),
  samples: z.int(),
  /** Part of the file around the Run that was kept, ms from the start of the measure phase. */
  fromMs: measure,
  toMs: measure,
  /** Energy of the measure phase. */
  measureJ: measure,
  /** Idle power; null where the file holds no time beside the run in which nothing ran. */
  baselineW: measure.nullable(),
  /** When that was, ms from the start of the measure phase; null without it. */
  baselineWindow: baselineWindowSchema.nullable(),
  /** Where the file says nothing while measuring, and what that can make wrong; null: nowhere. */
  gaps: meterGapsSchema.nullable(),
});

export type MeterQuery = z.output<typeof meterQuerySchema>;
export type MeterUpload = z.infer<typeof meterUploadSchema>;
