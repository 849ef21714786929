import * as z from 'zod';
import { sentence, word } from '../bounds.ts';
import type { RunEvidence } from './metric.ts';

export const verdictStatuses = ['passed', 'failed', 'not applicable'] as const;

/** A check on the validity of a Run, with its evidence. */
export const verdictSchema = z.strictObject({
  id: word,
  label: word,
  status: z.enum(verdictStatuses),
  /** The figures it was judged by, with the threshold. */
  evidence: sentence,
});

export type Verdict = z.infer<typeof verdictSchema>;

/** One file in catalogue/verdicts. Pure. */
export interface VerdictDefinition {
  id: string;
  label: string;
  judge(evidence: RunEvidence): Pick<Verdict, 'status' | 'evidence'>;
}
