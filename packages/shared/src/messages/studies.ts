import * as z from 'zod';
import { protocolScales } from '../catalogue/studies/study.ts';
import { protocolFileSchema } from '../domain/plans/study-file.ts';
import { experimentStatuses, progressSchema } from '../domain/runs/experiment.ts';

const leftOutSchema = z.strictObject({
  what: z.string(),
  reason: z.string(),
  /** Empty where nothing on the testbed would bring it back. */
  remedy: z.string(),
});

/** What one scale of a part costs on a testbed. */
const scaleCostSchema = z.strictObject({
  scale: z.enum(protocolScales),
  /** What this scale does otherwise than the study. */
  note: z.string(),
  runs: z.int(),
  durationMs: z.number(),
});

const protocolPartSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  question: z.string(),
  /** Empty for a part that cannot be run here: `leftOut` says why. */
  scales: z.array(scaleCostSchema),
  leftOut: z.array(leftOutSchema),
});

const protocolViewSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  question: z.string(),
  citation: z.string(),
  publishedTestbed: z.string(),
  /** The file of one that was saved or imported here; null for a study. */
  own: protocolFileSchema.nullable(),
  /** Why what is stored of an own one cannot be read; absent where it can. */
  broken: z.string().optional(),
  parts: z.array(protocolPartSchema),
});

export const protocolListSchema = z.strictObject({
  testbedId: z.string(),
  items: z.array(protocolViewSchema),
});

export const protocolListQuerySchema = z.strictObject({ testbedId: z.string().max(80).optional() });

export const createFromProtocolSchema = z.strictObject({
  testbedId: z.string().max(80),
  scale: z.enum(protocolScales),
  /** Left out: the first part that can be run. */
  part: z.string().max(20).optional(),
});

export const startProtocolSchema = z.strictObject({
  protocolId: z.string().max(60),
  testbedId: z.string().max(80),
  scale: z.enum(protocolScales),
  /** Left out: every part that can be run. */
  parts: z.array(z.string().max(20)).min(1).max(20).optional(),
});

const protocolRunPartSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  question: z.string(),
  /** What was left out when it was started. */
  leftOut: z.array(leftOutSchema),
  /** null for a part that was not run: `leftOut` says why, or it was not asked for. */
  experimentId: z.int().nullable(),
  /** null also where its experiment was deleted for good. */
  status: z.enum(experimentStatuses).nullable(),
  progress: progressSchema.nullable(),
  timeLeftMs: z.number().nullable(),
});

const protocolRunStatuses = ['running', 'done', 'cancelled'] as const;

/** The parts of one protocol, started together and run one after the other. */
export const protocolRunSchema = z.strictObject({
  id: z.int(),
  protocolId: z.string(),
  title: z.string(),
  testbedId: z.string(),
  scale: z.enum(protocolScales),
  createdAt: z.number(),
  /** done: every part came to its end. cancelled: at least one was stopped before. */
  status: z.enum(protocolRunStatuses),
  /** Its file as it was then; null for a study. */
  own: protocolFileSchema.nullable(),
  parts: z.array(protocolRunPartSchema),
});

export const protocolRunListSchema = z.strictObject({ items: z.array(protocolRunSchema) });

/** Makes a protocol of experiments, one part of each, with their results for whoever runs it. */
export const saveProtocolSchema = z.strictObject({
  experimentIds: z.array(z.int().min(1)).min(1).max(8),
  title: z.string().trim().min(1).max(120),
  question: z.string().max(2000).default(''),
  source: z.string().max(300).default(''),
});

export const importProtocolSchema = z.strictObject({ text: z.string().min(1).max(2_000_000) });

export type StartProtocol = z.infer<typeof startProtocolSchema>;
export type ProtocolRun = z.infer<typeof protocolRunSchema>;
export type ProtocolRunPart = z.infer<typeof protocolRunPartSchema>;
export type SaveProtocol = z.infer<typeof saveProtocolSchema>;
export type ProtocolPartView = z.infer<typeof protocolPartSchema>;
export type ProtocolView = z.infer<typeof protocolViewSchema>;
export type ProtocolList = z.infer<typeof protocolListSchema>;
export type CreateFromProtocol = z.infer<typeof createFromProtocolSchema>;
