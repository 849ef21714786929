import * as z from 'zod';

/** `not testable`: the testbed lacks a link, device, broker or instrument that the claim needs. */
export const claimAnswers = ['agrees', 'differs', 'open', 'not testable'] as const;

/** One comparison used to judge a claim. */
const claimLineSchema = z.strictObject({
  label: z.string(),
  /** For example "+34 % [28, 41]" or "3 of 3 runs". */
  figure: z.string(),
  /** A ratio, or a difference or a value in `unit`; null without enough runs. */
  value: z.number().nullable(),
  /** Interval at the claim's adjusted level; null for counts and exact values. */
  lo: z.number().nullable(),
  hi: z.number().nullable(),
  unit: z.string(),
  scale: z.enum(['ratio', 'difference', 'value', 'count']),
  /** Claimed region, for example "more than 0 %". */
  claimed: z.string(),
  side: z.enum(['claimed', 'other', 'undecided', 'missing']),
  runs: z.int(),
});

export const claimResultSchema = z.strictObject({
  id: z.string(),
  /** The part whose runs judge the claim. */
  part: z.string(),
  /** The study's statement, paraphrased, and its line in the full text. */
  says: z.string(),
  line: z.int(),
  answer: z.enum(claimAnswers),
  /** One sentence with values and intervals, or the reason why there is no answer. */
  sentence: z.string(),
  /** Runs or levels that are missing for an answer; null if nothing is missing. */
  missing: z.string().nullable(),
  /** Titles of the part's figures and tables that show the data. */
  see: z.array(z.string()),
  lines: z.array(claimLineSchema),
});

/** The claims of a study, judged with one of its runs. */
export const claimBoardSchema = z.strictObject({
  claims: z.array(claimResultSchema),
  /** Parts whose missing or flagged runs leave claims open, with the reason. */
  missing: z.array(z.strictObject({ part: z.string(), title: z.string(), reason: z.string() })),
});

export type ClaimAnswer = (typeof claimAnswers)[number];
export type ClaimLine = z.infer<typeof claimLineSchema>;
export type ClaimResult = z.infer<typeof claimResultSchema>;
export type ClaimBoard = z.infer<typeof claimBoardSchema>;
