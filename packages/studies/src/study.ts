import type { DocumentTable } from '@mqttlab/charts/table';
import type { Claim } from '@mqttlab/shared/analysis/claims/claim';
import type { Study, StudyPart } from '@mqttlab/shared/planning/study';
import type { PageBlock, StudyInput } from './page/input.ts';
import type { ReasonKind } from './page/reasons.ts';

/** A part with its page below the claims. */
export interface PublishedPart extends StudyPart {
  blocks: readonly PageBlock[];
  /** Published tables that belong to the part, and which of their configurations do. */
  published?: { tables: readonly string[]; isShown?: (treatment: string) => boolean };
  /** Its blocks or claims use the report of the experiment. */
  needsReport?: true;
  /** What the text leaves open or contradicts, and what is done differently here: of this part only. */
  unsaid?: readonly string[];
  different?: readonly string[];
}

/** A study of others: plans, claims and pages as data. */
export interface PublishedStudy extends Study {
  claims: readonly Claim[];
  parts: readonly PublishedPart[];
  /** What figures of every part depend on. */
  reasons: readonly ReasonKind[];
  /** As in a part, of several of them. */
  unsaid: readonly string[];
  different: readonly string[];
  /** A table over some parts together. */
  across?: {
    title: string;
    text: string;
    parts: readonly string[];
    rows(runs: Pick<StudyInput, 'treatments' | 'flagged'>): DocumentTable;
  };
}
