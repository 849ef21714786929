import * as z from 'zod';
import { instantMs, measure, textFrom, word } from '../domain/bounds.ts';

/** Limits of one import; more than these do not fit into a comparison. */
export const foreignLimits = { runs: 2000, treatments: 60 } as const;

const name = textFrom(1, 200);

const foreignRunSchema = z.strictObject({
  /** Runs with the same treatment are repetitions. */
  treatment: name,
  startedAt: instantMs.optional(),
  /** Values by metric id, in the unit of the metric. */
  metrics: z.record(word, measure),
});

/** Measurements from another tool. */
export const importForeignSchema = z.strictObject({
  name,
  question: z.string().max(2000).default(''),
  /** The tool that measured, for example "emqtt-bench". */
  tool: name,
  /** Names of its files. */
  source: z.string().max(2000).default(''),
  /** Metric that comes first; by default the first of the catalogue that the runs have. */
  response: word.optional(),
  /** Treatment that the others are compared with; by default that of the first run. */
  baseline: name.optional(),
  runs: z
    .array(foreignRunSchema)
    .min(1, 'must contain at least one run')
    .max(foreignLimits.runs, `must contain at most ${foreignLimits.runs} runs`),
});

export type ForeignRun = z.infer<typeof foreignRunSchema>;
export type ForeignImport = z.infer<typeof importForeignSchema>;
