import * as z from 'zod';
import { label, measure, ordinal, sentence, word } from '../bounds.ts';
import {
  experimentDraftSchema,
  planSchemaVersion,
  stoppingSchema,
  thresholdSchema,
  workloadSchema,
} from './experiment-draft.ts';
import { trialSpecSchema } from './trial-spec.ts';

export const levelsSchema = z.record(z.string().max(60), z.union([word, measure]).nullable());

export const treatmentSchema = z.strictObject({
  /** Canonical text for the treatment's levels; equal combinations have the same key in every experiment. */
  key: sentence,
  levels: levelsSchema,
  /** Long and short names, composed of the levels that vary in this plan. */
  label,
  shortLabel: label,
  /** Index, 1 to 8, of the colour, dash pattern and marker; 1 is the baseline. */
  mark: z.int().min(1).max(8),
  /** Names of the levels shown as colour, and of the levels shown as rows or panels. */
  colourLabel: label,
  rowLabel: label,
  spec: trialSpecSchema,
});

export const excludedSchema = z.strictObject({
  levels: levelsSchema,
  label,
  reasons: z.array(z.strictObject({ factor: word, reason: sentence, remedy: sentence })),
});

export const trialSchema = z.strictObject({
  /** 1-based position in the order of execution. */
  number: ordinal,
  /** 1-based repetition. */
  block: ordinal,
  treatmentKey: sentence,
});

/** Validated and immutable. */
export const planSchema = z.strictObject({
  schemaVersion: z.literal(planSchemaVersion),
  name: experimentDraftSchema.shape.name,
  question: experimentDraftSchema.shape.question,
  testbedId: experimentDraftSchema.shape.testbedId,
  /** Factors with more than one level. */
  varied: z.array(z.string().max(60)),
  treatments: z.array(treatmentSchema),
  excluded: z.array(excludedSchema),
  baselineKey: sentence,
  workload: workloadSchema,
  sampleHz: experimentDraftSchema.shape.sampleHz,
  /** Number of repetitions; with `stopping`, the maximum. */
  repetitions: ordinal,
  stopping: stoppingSchema.nullable().default(null),
  order: experimentDraftSchema.shape.order,
  seed: z.int().min(0).max(0xffff_ffff),
  response: experimentDraftSchema.shape.response,
  retries: z.int().min(0).max(1000),
  thresholds: z.array(thresholdSchema).default([]),
  trials: z.array(trialSchema),
});

export type Treatment = z.infer<typeof treatmentSchema>;
export type Excluded = z.infer<typeof excludedSchema>;
export type Trial = z.infer<typeof trialSchema>;
export type Plan = z.infer<typeof planSchema>;
