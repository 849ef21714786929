import type { PageBlock as Block } from '@mqttlab/shared/figures/blocks/blocks';
import type { StudyInput } from './input.ts';
import type { ReasonKind } from './reasons.ts';

export type PageBlock = Block<StudyInput>;

/** The page of a part below its claims. */
export interface PartPage {
  blocks: readonly PageBlock[];
  /** Published tables that belong to the part, and which of their configurations do. */
  published?: { tables: readonly string[]; isShown?: (treatment: string) => boolean };
  /** What its figures depend on. */
  reasons: readonly ReasonKind[];
  /** Its blocks or claims use the report of the experiment. */
  needsReport?: true;
  /** What the text leaves open or contradicts, and what is done differently here. */
  unsaid: readonly string[];
  different: readonly string[];
}
