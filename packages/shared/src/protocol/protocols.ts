import * as z from 'zod';
import { protocolScales } from '../catalogue/protocols/protocol.ts';

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

export type ProtocolPartView = z.infer<typeof protocolPartSchema>;
export type ProtocolView = z.infer<typeof protocolViewSchema>;
export type ProtocolList = z.infer<typeof protocolListSchema>;
export type CreateFromProtocol = z.infer<typeof createFromProtocolSchema>;
