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

/** Parameters of a meter upload; the CSV file is the body. */
export const meterQuerySchema = z.strictObject({
  /** Role of the metered device. */
  role: z.enum(roles),
  /** Id or name of the device, if several devices have that role. */
  device: z.string().min(1).max(80).optional(),
  /** Unix ms of the first row, if the times in the file are relative. */
  startedAt: number.optional(),
  /** How far the meter's clock is ahead of the server's, in ms. */
  aheadMs: number.optional(),
  /** Name of the meter in results. */
  name: z.string().min(1).max(80).optional(),
});

/** Result of a meter upload. */
export const meterUploadSchema = z.strictObject({
  role: z.enum(roles),
  /** Name of the metered device. */
  device: z.string(),
  samples: z.int(),
  /** Stored part of the file, in ms relative to the start of the measure phase. */
  fromMs: measure,
  toMs: measure,
  /** Energy of the measure phase. */
  measureJ: measure,
  /** Idle power; null if the file contains no idle period close to the run. */
  baselineW: measure.nullable(),
  /** The idle period, in ms relative to the start of the measure phase; null without idle power. */
  baselineWindow: baselineWindowSchema.nullable(),
  /** Gaps in the measure phase with their maximum error; null without gaps. */
  gaps: meterGapsSchema.nullable(),
});

export type MeterQuery = z.output<typeof meterQuerySchema>;
export type MeterUpload = z.infer<typeof meterUploadSchema>;
