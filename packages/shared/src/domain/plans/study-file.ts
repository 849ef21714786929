import * as z from 'zod';
import { instantMs, measure } from '../bounds.ts';
import { experimentDraftSchema } from './experiment-draft.ts';

/** Version of the file; later versions are refused with a clear error. */
export const studyFileVersion = 1;

const text = (most: number) => z.string().max(most);
const name = z.string().trim().min(1).max(120);
const maybe = measure.nullable();

/** Original results for one configuration, identified by its varying levels. */
const referenceValueSchema = z.strictObject({
  label: text(200),
  levels: z.record(text(60), z.union([text(200), measure]).nullable()),
  mean: measure,
  lo: maybe,
  hi: maybe,
  runs: z.int().min(1),
});

/** Original results in the file, shown next to the results of a replication. */
const referenceSchema = z.strictObject({
  /** Unix ms. */
  measuredAt: instantMs.nullable(),
  cpuModel: text(200).nullable(),
  /** Whether that CPU has AES instructions; null if unknown. */
  aes: z.boolean().nullable(),
  broker: text(200).nullable(),
  metrics: z
    .array(
      z.strictObject({
        metric: text(80),
        label: text(120),
        unit: text(40),
        values: z.array(referenceValueSchema).max(500),
      }),
    )
    .max(20),
});

const partSchema = z.strictObject({
  /** Stored in tags, so it must never change. */
  id: z.string().regex(/^[a-z]$/, 'must be one lower-case letter'),
  title: name,
  question: text(2000),
  notes: text(4000),
  plan: experimentDraftSchema.omit({
    schemaVersion: true,
    name: true,
    question: true,
    tags: true,
    notes: true,
    testbedId: true,
  }),
  reference: referenceSchema.nullable(),
});

/** One or several of a user's experiments as a study that others can run on their testbeds. */
export const studyFileSchema = z
  .strictObject({
    kind: z.literal('mqttlab study'),
    schemaVersion: z.literal(studyFileVersion),
    /** Used in tags and URLs. */
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,23}$/, 'must be at most 24 lower-case letters, digits and hyphens'),
    title: name,
    question: text(2000),
    /** Authors of the study, and where it is described. */
    source: text(300),
    /** Original hardware and software. */
    testbed: text(300),
    parts: z.array(partSchema).min(1).max(8),
  })
  .refine(({ parts }) => new Set(parts.map(({ id }) => id)).size === parts.length, {
    path: ['parts'],
    message: 'has two parts with the same id',
  });

export type StudyFile = z.infer<typeof studyFileSchema>;
export type StudyFilePart = z.infer<typeof partSchema>;
export type StudyReference = z.infer<typeof referenceSchema>;
