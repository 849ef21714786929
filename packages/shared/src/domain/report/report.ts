import * as z from 'zod';
import { authorshipSchema } from '../authorship.ts';
import { levelsSchema } from '../plans/plan.ts';
import { capturedRowSchema } from '../runs/capture.ts';
import { importedSchema } from '../runs/experiment.ts';
import { contrastOutcomes } from '../runs/verdict.ts';
import { claimResultSchema } from './claims.ts';
import { reportEnergySchema } from './report-energy.ts';
import { reportStabilitySchema } from './report-stability.ts';

/** Version of the report document, stored in bundles. Version 1 compared all metrics by differences. */
export const reportVersion = 2;

const maybe = z.number().nullable();

const contrastFields = z.strictObject({
  treatment: z.string(),
  baseline: z.string(),
  /** Treatment divided by baseline, or their difference. */
  scale: z.enum(['ratio', 'difference']),
  value: maybe,
  lo: maybe,
  hi: maybe,
  /** Difference between the two centres in the metric's unit. */
  inUnits: maybe,
  outcome: z.enum(contrastOutcomes),
  cohensD: maybe,
  hedgesG: maybe,
  gLo: maybe,
  gHi: maybe,
  cliffsDelta: maybe,
  /** Holm-adjusted p-value over this family; null for fewer than three runs on a side. */
  p: maybe,
  method: z.string(),
  runs: z.int(),
  note: z.string().nullable(),
});

/** A contrast in version 1: a difference, also in percent. */
function upgradeContrast(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('difference' in input)) return input;
  const { difference, percent, percentLo, percentHi, ...rest } = input as Record<string, unknown>;
  const { lo, hi, p } = rest;
  const leaves = typeof lo === 'number' && typeof hi === 'number' && (lo > 0 || hi < 0);
  const judged = leaves ? (typeof p === 'number' && p < 0.05 ? 'resolved' : 'leaning') : 'open';
  const outcome = difference === null ? 'not measured' : lo === null ? 'few' : judged;
  return { ...rest, scale: 'difference', value: difference, inUnits: difference, outcome };
}

const contrastSchema = z.preprocess(upgradeContrast, contrastFields);

type ReportContrast = z.infer<typeof contrastFields>;

/** Contrasts by other methods: p-values, each with the adjustment of its method. */
const otherMethodsSchema = z.strictObject({
  rows: z.array(
    z.strictObject({
      treatment: z.string(),
      baseline: z.string(),
      holm: z.number().nullable(),
      bonferroni: z.number().nullable(),
      falseDiscovery: z.number().nullable(),
      student: z.number().nullable(),
      /** Cohen's d of the paired differences; null if runs are not paired. */
      dz: z.number().nullable(),
      ranks: z.number().nullable(),
      leastP: z.number(),
    }),
  ),
  /** Sentence that states whether any treatments differ. */
  allTogether: z.string().nullable(),
});
const finding = z.strictObject({
  text: z.string(),
  /**
   * resolved: the interval excludes equality, and the Holm-adjusted p-value is below the limit. open:
   * equality is not excluded. cannot: there is no value.
   */
  kind: z.enum(['resolved', 'open', 'cannot']),
});

/** Estimate over runs, which are the unit of inference. */
const estimateSchema = z.strictObject({
  treatment: z.string(),
  n: z.int(),
  /** Geometric mean for a positive quantity, arithmetic mean for all others. */
  mean: maybe,
  sd: maybe,
  lo: maybe,
  hi: maybe,
  cv: maybe,
  values: z.array(z.strictObject({ runId: z.int(), block: z.int(), value: z.number() })),
  /** Reason why there is no interval or no mean. */
  note: z.string().nullable(),
});

const effectSchema = z.strictObject({
  kind: z.enum(['main', 'interaction']),
  /** For example "QoS 2 against QoS 0", or "TLS 1.3 x QoS 2". */
  label: z.string(),
  factor: z.string(),
  scale: z.enum(['ratio', 'difference']).default('difference'),
  /** A ratio of geometric means (for an interaction: of two ratios), or a difference of means. */
  estimate: z.number(),
  lo: maybe,
  hi: maybe,
  p: maybe,
  /** Number of complete blocks. */
  blocks: z.int(),
});

const responseSchema = z.strictObject({
  metric: z.string(),
  label: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher']).nullable(),
  estimates: z.array(estimateSchema),
  contrasts: z.array(contrastSchema),
  /** Every pair that only differs in colour; a separate family. */
  between: z.array(contrastSchema),
  effects: z.array(effectSchema),
  effectsNote: z.string().nullable(),
  findings: z.array(finding),
  /** Smallest and largest relative half-widths of the treatments' intervals. */
  precision: z.strictObject({ best: maybe, worst: maybe }),
  /** Only for the plan's response; absent in earlier reports. */
  otherMethods: otherMethodsSchema.nullable().optional(),
});

const seriesGroupSchema = z.strictObject({
  role: z.string(),
  metric: z.string(),
  label: z.string(),
  unit: z.string(),
  treatments: z.array(
    z.strictObject({
      treatment: z.string(),
      runs: z.int(),
      /** Times on a common grid, since the start of the measure phase. */
      timesMs: z.array(z.number()),
      mean: z.array(maybe),
      lo: z.array(maybe),
      hi: z.array(maybe),
      /** Difference from the baseline at the same time, in percent; empty for a baseline. */
      overhead: z.array(maybe),
      overheadLo: z.array(maybe),
      overheadHi: z.array(maybe),
    }),
  ),
});

const diagnosticSchema = z.strictObject({
  role: z.string(),
  metric: z.string(),
  label: z.string(),
  unit: z.string(),
  treatment: z.string(),
  runId: z.int(),
  n: z.int(),
  acf: z.array(z.number()),
  pacf: z.array(z.number()),
  band: z.number(),
  ljungBox: z.array(z.strictObject({ lag: z.int(), q: z.number(), p: z.number() })),
  adf: z
    .strictObject({ statistic: z.number(), p: z.number(), lag: z.int(), critical5: z.number() })
    .nullable(),
  /** Automatic block length, and whether it reached its limit. */
  block: z.strictObject({ length: z.int(), capped: z.boolean() }).nullable(),
  sentences: z.array(z.string()),
});

const bootstrapSchema = z.strictObject({
  role: z.string(),
  metric: z.string(),
  label: z.string(),
  unit: z.string(),
  treatment: z.string(),
  baseline: z.string(),
  difference: z.number(),
  /** Interval over runs: Welch's or paired. */
  runLevel: z.strictObject({ lo: maybe, hi: maybe, runs: z.int() }),
  /** As published: samples from all runs joined, circular blocks of 20, 2000 replicates. */
  published: z.strictObject({ lo: z.number(), hi: z.number(), se: z.number(), samples: z.int() }).nullable(),
  /** Resamples runs, then blocks within each run; needs at least five runs. */
  hierarchical: z.strictObject({ lo: z.number(), hi: z.number(), se: z.number() }).nullable(),
  blockLength: z.int(),
  replicates: z.int(),
  seed: z.int(),
  /** Histogram of the published replicates: range and counts. */
  distribution: z.strictObject({ from: z.number(), to: z.number(), counts: z.array(z.int()) }).nullable(),
  sentences: z.array(z.string()),
});

const saturationSchema = z.strictObject({
  metric: z.string(),
  label: z.string(),
  unit: z.string(),
  factor: z.string(),
  factorUnit: z.string(),
  group: z.string(),
  mark: z.int(),
  points: z.array(z.strictObject({ x: z.number(), y: z.number() })),
  band: z.array(z.strictObject({ x: z.number(), y: z.number(), lo: z.number(), hi: z.number() })),
  r2: maybe,
  sentence: z.string(),
});

const paretoSchema = z.strictObject({
  x: z.strictObject({ metric: z.string(), label: z.string(), unit: z.string() }),
  y: z.strictObject({ metric: z.string(), label: z.string(), unit: z.string() }),
  points: z.array(z.strictObject({ treatment: z.string(), x: z.number(), y: z.number(), rank: z.int() })),
  /** One point per run, for the scatter plot. */
  runs: z.array(z.strictObject({ treatment: z.string(), runId: z.int(), x: z.number(), y: z.number() })),
  sentence: z.string(),
});

const phaseSchema = z.strictObject({
  treatment: z.string(),
  runs: z.int(),
  phases: z.array(
    z.strictObject({ phase: z.string(), ms: z.number(), cpuMs: maybe, bytes: maybe, energyJ: maybe }),
  ),
});

const latencySchema = z.strictObject({
  treatment: z.string(),
  messages: z.int(),
  /** Quantiles, in ms, for which there are enough messages. */
  points: z.array(z.strictObject({ p: z.number(), ms: z.number() })),
  box: z.strictObject({
    p5: z.number(),
    p25: z.number(),
    p50: z.number(),
    p75: z.number(),
    p95: z.number(),
    mean: z.number(),
  }),
});

export const reportSchema = z.strictObject({
  version: z.literal([1, reportVersion]),
  experiment: z.strictObject({
    id: z.int(),
    name: z.string(),
    question: z.string(),
    status: z.string(),
    startedAt: maybe,
    finishedAt: maybe,
    testbedId: z.string(),
    notes: z.string(),
    tags: z.array(z.string()),
    /** Set if the experiment was imported from a bundle. */
    imported: importedSchema.nullable(),
    /** Absent if nothing is stated. */
    authorship: authorshipSchema.optional(),
  }),
  software: z.string(),
  design: z.strictObject({
    rows: z.array(
      z.strictObject({ parameter: z.string(), levels: z.array(z.string()), varied: z.boolean() }),
    ),
    repetitions: z.int(),
    order: z.string(),
    seed: z.int(),
    response: z.string(),
    baseline: z.string(),
    stopping: z.string().nullable(),
    excluded: z.array(z.strictObject({ label: z.string(), reason: z.string() })),
  }),
  treatments: z.array(
    z.strictObject({
      key: z.string(),
      label: z.string(),
      shortLabel: z.string(),
      colourLabel: z.string(),
      rowLabel: z.string(),
      mark: z.int(),
      levels: levelsSchema,
    }),
  ),
  /** Names such as "run 12", by run id. */
  runNames: z.record(z.string(), z.string()).default({}),
  validity: z.strictObject({
    trials: z.int(),
    attempts: z.int(),
    done: z.int(),
    used: z.int(),
    flagged: z.int(),
    excluded: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    takesFlagged: z.boolean(),
    verdicts: z.array(
      z.strictObject({ label: z.string(), passed: z.int(), failed: z.int(), notApplicable: z.int() }),
    ),
    /** Excluded runs with the reason for exclusion. */
    leftOut: z.array(
      z.strictObject({ runId: z.int(), treatment: z.string(), block: z.int(), reason: z.string() }),
    ),
    sentences: z.array(z.string()),
  }),
  responses: z.array(responseSchema),
  latency: z.array(latencySchema),
  phases: z.array(phaseSchema),
  /** Phases reported by each role; roles without phases are absent. */
  rolePhases: z.array(phaseSchema.extend({ role: z.string() })).default([]),
  /** For runs over WiFi: the radio state of each device before and after. */
  radio: z
    .array(z.strictObject({ device: z.string(), what: z.string(), before: z.string(), after: z.string() }))
    .default([]),
  /** What an eavesdropper sees at each broker, from the first captured run of each treatment with valid byte metrics. */
  captured: z.array(capturedRowSchema).default([]),
  series: z.array(seriesGroupSchema),
  diagnostics: z.array(diagnosticSchema),
  bootstraps: z.array(bootstrapSchema),
  saturations: z.array(saturationSchema),
  pareto: paretoSchema.nullable(),
  energy: z.array(reportEnergySchema),
  /** Claims of the study to which the experiment belongs, judged by its runs. */
  claims: z.array(claimResultSchema).default([]),
  /** Present only if a study needs it. */
  stability: reportStabilitySchema.nullable().default(null),
  /** Sentences that state why parts of the report are missing. */
  missing: z.array(z.string()),
});

export type Report = z.infer<typeof reportSchema>;
export type ReportTreatment = Report['treatments'][number];
export type ReportResponse = z.infer<typeof responseSchema>;
export type ReportEstimate = z.infer<typeof estimateSchema>;
export type { ReportContrast };
export type ReportEffect = z.infer<typeof effectSchema>;
export type ReportFinding = z.infer<typeof finding>;
export type ReportSeries = z.infer<typeof seriesGroupSchema>;
export type ReportDiagnostic = z.infer<typeof diagnosticSchema>;
export type ReportBootstrap = z.infer<typeof bootstrapSchema>;
export type ReportSaturation = z.infer<typeof saturationSchema>;
export type ReportPareto = z.infer<typeof paretoSchema>;
export type ReportPhases = z.infer<typeof phaseSchema>;
export type ReportRolePhases = Report['rolePhases'][number];
export type ReportLatency = z.infer<typeof latencySchema>;

const deviceFactsSchema = z.strictObject({
  role: z.string(),
  cpuModel: z.string().nullable(),
  cpuFeatures: z.array(z.string()).readonly().nullable(),
  /** Absent in links frozen by earlier versions. */
  cores: z.int().nullable().optional(),
});

/** Properties reported by the devices in a run; null if not reported. */
export const studyFactsSchema = z.strictObject({
  cpuModel: z.string().nullable(),
  /** CPU features, named as the agent reports them: aes, pclmulqdq, avx2, neon. */
  cpuFeatures: z.array(z.string()).readonly().nullable(),
  /** For example "Mosquitto 2.0.11". */
  broker: z.string().nullable(),
  /** One entry per device, in the order of the roles; empty if not reported. */
  devices: z.array(deviceFactsSchema).readonly().optional(),
});

export type DeviceFacts = z.infer<typeof deviceFactsSchema>;
export type StudyFacts = z.infer<typeof studyFactsSchema>;
