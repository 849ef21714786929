import type { DocumentTable } from '@mqttlab/charts/table';
import type { Claim } from '@mqttlab/shared/analysis/claims/claim';
import type { Study, StudyPart } from '@mqttlab/shared/planning/study';
import type { PageBlock, StudyInput } from './page/input.ts';
import type { ReasonKind } from './page/reasons.ts';

/** A part with the content shown on its page below the claims. */
export interface PublishedPart extends StudyPart {
  blocks: readonly PageBlock[];
  /** The part's published tables, and a filter for their configurations. */
  published?: { tables: readonly string[]; isShown?: (treatment: string) => boolean };
  /** True if the part's blocks or claims use the experiment's report. */
  needsReport?: true;
  /** Details that the text does not state or contradicts, and differences here, for this part only. */
  notStated?: readonly string[];
  different?: readonly string[];
}

/** A published study: plans, claims and pages as data. */
export interface PublishedStudy extends Study {
  claims: readonly Claim[];
  parts: readonly PublishedPart[];
  /** Kinds of reasons for differences in all parts. */
  reasons: readonly ReasonKind[];
  /** Same as in a part, for facts that concern several parts. */
  notStated: readonly string[];
  different: readonly string[];
  /** A table over several parts. */
  across?: {
    title: string;
    text: string;
    parts: readonly string[];
    rows(runs: Pick<StudyInput, 'treatments' | 'flagged'>): DocumentTable;
  };
}
