import * as z from 'zod';
import {
  experimentDraftSchema,
  planSchemaVersion,
  stoppingSchema,
  thresholdSchema,
  workloadSchema,
} from './experiment-draft.ts';
import { trialSpecSchema } from './trial-spec.ts';

export const levelsSchema = z.record(z.string(), z.union([z.string(), z.number()]).nullable());

export const treatmentSchema = z.strictObject({
  /** Canonical text of its levels: the same combination has the same key in every experiment. */
  key: z.string(),
  levels: levelsSchema,
  /** Long and short name, made of the levels that vary in this plan. */
  label: z.string(),
  shortLabel: z.string(),
  /** Index 1 to 8 of colour, dash and marker; 1 is the baseline. */
  mark: z.int().min(1).max(8),
  /** The levels that took the colour, in words, and those that become rows or panels. */
  colourLabel: z.string(),
  rowLabel: z.string(),
  spec: trialSpecSchema,
});

export const excludedSchema = z.strictObject({
  levels: levelsSchema,
  label: z.string(),
  reasons: z.array(z.strictObject({ factor: z.string(), reason: z.string(), remedy: z.string() })),
});

export const trialSchema = z.strictObject({
  /** 1-based place in the order of execution. */
  number: z.int().min(1),
  /** 1-based repetition. */
  block: z.int().min(1),
  treatmentKey: z.string(),
});

/** Validated and immutable. */
export const planSchema = z.strictObject({
  schemaVersion: z.literal(planSchemaVersion),
  name: z.string(),
  question: z.string(),
  testbedId: z.string(),
  /** Factors with more than one level. */
  varied: z.array(z.string()),
  treatments: z.array(treatmentSchema),
  excluded: z.array(excludedSchema),
  baselineKey: z.string(),
  workload: workloadSchema,
  sampleHz: experimentDraftSchema.shape.sampleHz,
  /** With `stopping`, the most there may be. */
  repetitions: z.int(),
  stopping: stoppingSchema.nullable().default(null),
  order: experimentDraftSchema.shape.order,
  seed: z.int(),
  response: z.string(),
  retries: z.int(),
  thresholds: z.array(thresholdSchema).default([]),
  trials: z.array(trialSchema),
});

export type Treatment = z.infer<typeof treatmentSchema>;
export type Excluded = z.infer<typeof excludedSchema>;
export type Trial = z.infer<typeof trialSchema>;
export type Plan = z.infer<typeof planSchema>;
