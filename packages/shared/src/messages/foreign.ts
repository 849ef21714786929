import * as z from 'zod';
import { instantMs, measure, textFrom, word } from '../domain/bounds.ts';

/** Limits for one import; larger imports do not fit in a comparison. */
export const foreignLimits = { runs: 2000, treatments: 60 } as const;

const name = textFrom(1, 200);

const foreignRunSchema = z.strictObject({
  /** Runs with the same treatment are repetitions. */
  treatment: name,
  startedAt: instantMs.optional(),
  /** Values by metric id, in the metric's unit. */
  metrics: z.record(word, measure),
});

/** Measurements from another tool. */
export const importForeignSchema = z.strictObject({
  name,
  question: z.string().max(2000).default(''),
  /** The tool that made the measurements, for example "emqtt-bench". */
  tool: name,
  /** Names of the tool's files. */
  source: z.string().max(2000).default(''),
  /** Metric shown first; by default, the first metric in the catalogue that the runs have. */
  response: word.optional(),
  /** Treatment with which the others are compared; by default, the treatment of the first run. */
  baseline: name.optional(),
  runs: z
    .array(foreignRunSchema)
    .min(1, 'must contain at least one run')
    .max(foreignLimits.runs, `must contain at most ${foreignLimits.runs} runs`),
});

export type ForeignRun = z.infer<typeof foreignRunSchema>;
export type ForeignImport = z.infer<typeof importForeignSchema>;
