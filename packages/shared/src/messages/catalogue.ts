import * as z from 'zod';
import { roles } from '../domain/devices/device.ts';
import { factorGroups } from '../domain/factor.ts';
import { metricGroups } from '../domain/runs/verdict.ts';

const level = z.union([z.string(), z.number()]);
const factorSchema = z.strictObject({
  id: z.string(),
  label: z.string(),
  group: z.enum(factorGroups),
  audience: z.enum(['everyone', 'expert']),
  help: z.string(),
  unit: z.string().nullable(),
  input: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('choice') }),
    z.strictObject({
      kind: z.literal('number'),
      min: z.number(),
      max: z.number(),
      integer: z.boolean(),
      presets: z.array(z.number()).readonly(),
    }),
  ]),
  default: level,
  /** Suggested levels on the testbed, with a reason for each impossible level. */
  levels: z.array(
    z.strictObject({
      value: level,
      label: z.string(),
      refusal: z.strictObject({ reason: z.string(), remedy: z.string() }).nullable(),
    }),
  ),
});
const metricSchema = z.strictObject({
  id: z.string(),
  label: z.string(),
  group: z.enum(metricGroups),
  unit: z.string(),
  better: z.enum(['lower', 'higher']).nullable(),
  role: z.enum(roles).nullable(),
  help: z.string(),
});
export const catalogueSchema = z.strictObject({
  testbedId: z.string(),
  factors: z.array(factorSchema),
  metrics: z.array(metricSchema),
  verdicts: z.array(z.strictObject({ id: z.string(), label: z.string() })),
});

export type Catalogue = z.infer<typeof catalogueSchema>;
