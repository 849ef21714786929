import * as z from 'zod';

/** `not testable`: this testbed lacks a link, a device, a broker or an instrument that the claim needs. */
export const claimAnswers = ['agrees', 'differs', 'open', 'not testable'] as const;

/** One comparison that a claim is judged by. */
const claimLineSchema = z.strictObject({
  label: z.string(),
  /** "+34 % [28, 41]" or "3 of 3 runs". */
  figure: z.string(),
  /** A ratio, or a difference or a value in `unit`; null without enough runs. */
  value: z.number().nullable(),
  /** Interval at the level that the adjustment leaves to the claim; null for counts and exact values. */
  lo: z.number().nullable(),
  hi: z.number().nullable(),
  unit: z.string(),
  scale: z.enum(['ratio', 'difference', 'value', 'count']),
  /** "more than 0 %": what the claim says of it. */
  claimed: z.string(),
  side: z.enum(['claimed', 'other', 'undecided', 'missing']),
  runs: z.int(),
});

export const claimResultSchema = z.strictObject({
  id: z.string(),
  /** The part whose runs answer it. */
  part: z.string(),
  /** What the study says, in our words, and the line of its full text. */
  says: z.string(),
  line: z.int(),
  answer: z.enum(claimAnswers),
  /** One sentence with figures and intervals, or the reason why there is no answer. */
  sentence: z.string(),
  /** What an answer lacks: runs, or levels that this scale leaves out; null if nothing is missing. */
  missing: z.string().nullable(),
  /** Titles of the figures and tables of the part that show it. */
  see: z.array(z.string()),
  lines: z.array(claimLineSchema),
});

/** The claims of a study, judged by one run of it. */
export const claimBoardSchema = z.strictObject({
  claims: z.array(claimResultSchema),
  /** Parts whose missing or flagged runs leave claims open, and why. */
  missing: z.array(z.strictObject({ part: z.string(), title: z.string(), reason: z.string() })),
});

export type ClaimAnswer = (typeof claimAnswers)[number];
export type ClaimLine = z.infer<typeof claimLineSchema>;
export type ClaimResult = z.infer<typeof claimResultSchema>;
export type ClaimBoard = z.infer<typeof claimBoardSchema>;
