import * as z from 'zod';

const maybe = z.number().nullable();

/** What a device drew, by Treatment; only where its source told, and of one quality. */
export const reportEnergySchema = z.strictObject({
  role: z.string(),
  quality: z.string(),
  source: z.string(),
  /** W while measuring, mean over runs, by treatment. */
  power: z.array(
    z.strictObject({ treatment: z.string(), runs: z.int(), watts: z.number(), voltageV: maybe }),
  ),
  /** Cumulative J with its interval, from the power series. */
  cumulative: z.array(
    z.strictObject({
      treatment: z.string(),
      timesMs: z.array(z.number()),
      joules: z.array(maybe),
      lo: z.array(maybe),
      hi: z.array(maybe),
    }),
  ),
  battery: z
    .strictObject({
      capacityMAh: z.number(),
      usableFraction: z.number(),
      voltageV: z.number(),
      rows: z.array(z.strictObject({ treatment: z.string(), currentMA: z.number(), hours: maybe })),
    })
    .nullable(),
  sensitivity: z
    .strictObject({
      treatment: z.string(),
      handshakeS: z.number(),
      cells: z.array(
        z.strictObject({ handshakeFactor: z.number(), loadFactor: z.number(), relChange: maybe }),
      ),
    })
    .nullable(),
});

export type ReportEnergy = z.infer<typeof reportEnergySchema>;
