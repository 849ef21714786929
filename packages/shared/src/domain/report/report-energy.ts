import * as z from 'zod';

const maybe = z.number().nullable();

/** Energy of a device by treatment, if it was measured with sources of the same quality. */
export const reportEnergySchema = z.strictObject({
  role: z.string(),
  /** Other roles on the same machine, which have the same energy. */
  sharedBy: z.array(z.string()).default([]),
  quality: z.string(),
  source: z.string(),
  /** Power in W in the measure phase, as the mean over runs with its interval, by treatment. */
  power: z.array(
    z.strictObject({
      treatment: z.string(),
      runs: z.int(),
      watts: z.number(),
      lo: maybe.default(null),
      hi: maybe.default(null),
      voltageV: maybe,
    }),
  ),
  /** Cumulative energy in J with its interval, from the power series. */
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
      /** Treatment that these means belong to. */
      runs: z.int().default(1),
      /** Duration of the set-up, and its share of a run's energy. */
      handshakeS: z.number(),
      handshakeShare: maybe.default(null),
      cells: z.array(
        z.strictObject({ handshakeFactor: z.number(), loadFactor: z.number(), relChange: maybe }),
      ),
    })
    .nullable(),
});

export type ReportEnergy = z.infer<typeof reportEnergySchema>;
