import { type Protection, protectionLabels, protectionOf } from '@mqttlab/shared/catalogue/protection';
import type { ExperimentDraft } from '@mqttlab/shared/domain/experiment-draft';
import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import type { TestbedView } from '@mqttlab/shared/domain/testbed-view';
import { makeTreatments } from '@mqttlab/shared/planning/make-treatments';
import type { LevelChip } from './level-choice.ts';

export interface ProtectionRow {
  chip: LevelChip;
  protection: Protection;
}

export const protectionKinds = Object.keys(protectionLabels) as (keyof Protection)[];

/** More rows than this would be a wall: such a factor keeps its chips. */
const mostRows = 6;

/**
 * What each level protects, for a factor whose levels decide about it; null for all others. Only the level itself is
 * looked at, so that "partly" stands where another factor decides the rest.
 */
export function protectionRows(
  factor: FactorDefinition,
  chips: readonly LevelChip[],
  { draft, view }: { draft: ExperimentDraft; view: TestbedView },
): ProtectionRow[] | null {
  if (factor.group !== 'security' || chips.length > mostRows) return null;
  const rows = chips.flatMap((chip): ProtectionRow[] => {
    const cell = { key: '', levels: { [factor.id]: chip.value }, refusals: [] };
    const spec = makeTreatments([cell], draft, view)[0]?.spec;
    return spec ? [{ chip, protection: protectionOf(spec) }] : [];
  });
  const differ = new Set(rows.map((row) => JSON.stringify(row.protection))).size > 1;
  return differ ? rows : null;
}
