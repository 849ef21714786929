import * as z from 'zod';
import { contrastOutcomes } from '../runs/verdict.ts';

const maybe = z.number().nullable();

const contrastFields = z.strictObject({
  treatment: z.string(),
  baseline: z.string(),
  /** Treatment over baseline, or minus it. */
  scale: z.enum(['ratio', 'difference']),
  value: maybe,
  lo: maybe,
  hi: maybe,
  /** Difference of the two centres in the unit of the metric. */
  inUnits: maybe,
  outcome: z.enum(contrastOutcomes),
  cohensD: maybe,
  hedgesG: maybe,
  gLo: maybe,
  gHi: maybe,
  cliffsDelta: maybe,
  /** After Holm over this family; null below three runs on a side. */
  p: maybe,
  method: z.string(),
  runs: z.int(),
  note: z.string().nullable(),
});

/** A contrast of the first version: a difference, and the same in percent beside it. */
function upgradeContrast(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('difference' in input)) return input;
  const { difference, percent, percentLo, percentHi, ...rest } = input as Record<string, unknown>;
  const { lo, hi, p } = rest;
  const leaves = typeof lo === 'number' && typeof hi === 'number' && (lo > 0 || hi < 0);
  const judged = leaves ? (typeof p === 'number' && p < 0.05 ? 'resolved' : 'leaning') : 'open';
  const outcome = difference === null ? 'not measured' : lo === null ? 'few' : judged;
  return { ...rest, scale: 'difference', value: difference, inUnits: difference, outcome };
}

export const contrastSchema = z.preprocess(upgradeContrast, contrastFields);

export type ReportContrast = z.infer<typeof contrastFields>;

/** Contrasts by other methods: p-values, each after its own way of adjusting. */
export const otherMethodsSchema = z.strictObject({
  rows: z.array(
    z.strictObject({
      treatment: z.string(),
      baseline: z.string(),
      holm: z.number().nullable(),
      bonferroni: z.number().nullable(),
      falseDiscovery: z.number().nullable(),
      student: z.number().nullable(),
      /** Cohen's d of the paired differences; null where runs are not paired. */
      dz: z.number().nullable(),
      ranks: z.number().nullable(),
      leastP: z.number(),
    }),
  ),
  /** Whether the treatments differ at all, as a sentence. */
  allTogether: z.string().nullable(),
});
