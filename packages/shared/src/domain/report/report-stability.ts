import * as z from 'zod';

const maybe = z.number().nullable();
const testSchema = z.strictObject({ statistic: z.number(), p: z.number() });

/** One response of one treatment as a time series, over all runs that count unless noted. */
const seriesSummarySchema = z.strictObject({
  treatment: z.string(),
  runs: z.int(),
  samples: z.int(),
  mean: z.number(),
  sd: maybe,
  median: z.number(),
  /** Half-sample mode (Bickel and Frühwirth 2006). */
  mode: z.number(),
  p25: z.number(),
  p75: z.number(),
  /**
   * Largest sample, and percentage of samples more than three standard deviations above the mean. Absent in
   * reports by earlier versions.
   */
  max: z.number().optional(),
  peaks: maybe.optional(),
  /**
   * Coefficients of variation in percent: between run means, and between segments within a run (mean over
   * runs).
   */
  cvRuns: maybe,
  cvSegments: maybe,
  /** The coefficient within each run. */
  segmentCvs: z.array(z.number()),
  /** Autocorrelation and stationarity of the first run; null if it is too short or constant. */
  memory: z
    .strictObject({
      runId: z.int(),
      n: z.int(),
      acf: z.array(z.number()),
      pacf: z.array(z.number()),
      band: z.number(),
      /** First lag whose autocorrelation is inside the band of white noise. */
      firstInside: z.int().nullable(),
      ljungBox: testSchema.extend({ lag: z.int() }).nullable(),
      adf: testSchema.nullable(),
    })
    .nullable(),
});

const contrastSchema = z.strictObject({
  treatment: z.string(),
  baseline: z.string(),
  difference: z.number(),
  /** Block bootstrap of the samples, as published; null if there are too few samples. */
  lo: maybe,
  hi: maybe,
  /** Interval over runs. */
  runLo: maybe,
  runHi: maybe,
  cohensD: maybe,
  distribution: z.strictObject({ from: z.number(), to: z.number(), counts: z.array(z.int()) }).nullable(),
});

const curveSchema = z.strictObject({
  treatment: z.string(),
  timesMs: z.array(z.number()),
  mean: z.array(maybe),
  lo: z.array(maybe),
  hi: z.array(maybe),
});

const stabilityVariableSchema = z.strictObject({
  id: z.string(),
  role: z.string(),
  label: z.string(),
  unit: z.string(),
  summaries: z.array(seriesSummarySchema),
  contrasts: z.array(contrastSchema),
  /** TLS compared with payload encryption; absent in links frozen by earlier versions. */
  between: z.array(contrastSchema).optional(),
  /** Mean over runs with its 95 % interval, unsmoothed, since the start of the connection. */
  curves: z.array(curveSchema),
  /** Current over time; unused, and only present in links frozen by earlier versions. */
  overhead: z.array(curveSchema).optional(),
});

const handshakeSchema = z.strictObject({
  treatment: z.string(),
  runs: z.int(),
  /** From the first SYN to the end of the set-up, mean over runs. */
  setUpMs: z.number(),
  setUpMA: maybe,
  steadyMA: z.number(),
  /** The most likely single step in the current since the first sample; null if none is significant. */
  change: z
    .strictObject({ atMs: z.number(), before: z.number(), after: z.number(), p: z.number() })
    .nullable(),
});

const emitterRunSchema = z.strictObject({
  treatment: z.string(),
  runId: z.int(),
  block: z.int(),
  /** Duration of the set-up in s, and its mean current; null if the energy of these phases is unknown. */
  setUpS: z.number(),
  setUpMA: maybe,
  /** Mean current from the start of the connection until `earlyMs`. */
  earlyMA: z.number(),
  /** Mean current in the measure phase. */
  steadyMA: z.number(),
  /** Charge since the start of the connection, up to `earlyMs` and up to the end of the measure phase. */
  earlyMAh: z.number(),
  mAh: z.number(),
});

const batterySchema = z.strictObject({
  /** Share of the time spent active. */
  duty: z.number(),
  sleepMA: z.number(),
  rows: z.array(
    z.strictObject({ treatment: z.string(), averageMA: z.number(), days: maybe, monthsOfTwelve: maybe }),
  ),
});

/** Stability of current and latency over time and between runs, used by one study. */
export const reportStabilitySchema = z.strictObject({
  /** Interval between the samples. */
  stepMs: z.number(),
  /** Number of device samples averaged into one. */
  averaged: z.int(),
  segmentMs: z.number(),
  blockLength: z.int(),
  replicates: z.int(),
  /** True if all roles are on one machine, so that emitter and receiver are the same device. */
  isOneMachine: z.boolean(),
  volts: z.number(),
  variables: z.array(stabilityVariableSchema),
  crossCorrelation: z.array(
    z.strictObject({
      treatment: z.string(),
      runId: z.int(),
      band: z.number(),
      lags: z.array(z.strictObject({ lag: z.int(), r: z.number() })),
      strongest: z.strictObject({ lag: z.int(), r: z.number() }),
    }),
  ),
  /** Charge in mAh since the start of the connection, by role. */
  cumulative: z.array(
    z.strictObject({
      role: z.string(),
      curves: z.array(curveSchema),
      /**
       * Difference from the baseline at the same time, in percent, with the interval of the ratio of means.
       */
      overhead: z.array(curveSchema).optional(),
    }),
  ),
  /** Each counting run of the emitter, since the start of its connection. */
  emitterRuns: z.array(emitterRunSchema),
  earlyMs: z.number(),
  handshake: z.array(handshakeSchema),
  capacityMAh: z.number(),
  battery: z.array(batterySchema),
  missing: z.array(z.string()),
});

export type ReportStability = z.infer<typeof reportStabilitySchema>;
export type StabilityVariable = z.infer<typeof stabilityVariableSchema>;
export type StabilitySummary = z.infer<typeof seriesSummarySchema>;
export type StabilityContrast = z.infer<typeof contrastSchema>;
export type StabilityCurve = z.infer<typeof curveSchema>;
export type StabilityEmitterRun = z.infer<typeof emitterRunSchema>;
export type StabilityHandshake = z.infer<typeof handshakeSchema>;
export type StabilityBattery = z.infer<typeof batterySchema>;
