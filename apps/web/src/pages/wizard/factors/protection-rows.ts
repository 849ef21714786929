import { protectionsOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { type Protection, protectionLabels } from '@mqttlab/shared/catalogue/ciphers/protection';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorDefinition, FactorGroup } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeTreatments } from '@mqttlab/shared/planning/make-treatments';
import type { LevelChip } from './level-choice.ts';

export interface ProtectionRow {
  chip: LevelChip;
  protection: Protection;
}

export interface ProtectionView {
  rows: ProtectionRow[];
  /** Holds every level, so that its rows can be the choice itself; otherwise only the chosen ones. */
  isWhole: boolean;
  /** "between client and broker" */
  scope: string;
}

export const protectionKinds = Object.keys(protectionLabels) as (keyof Protection)[];

/** More rows than this would be a wall: such a factor keeps its chips. */
const maxRows = 6;

const no = { level: 'no' } as const;
const nothing: Protection = {
  confidentiality: no,
  integrity: no,
  replay: no,
  peerAuthentication: no,
  forwardSecrecy: no,
};

interface Scope {
  words: string;
  of: (spec: TrialSpec) => Protection;
}

/** Which groups of factors decide about protection, and where. */
const scopes: Readonly<Partial<Record<FactorGroup, Scope>>> = {
  security: { words: 'between each client and the broker', of: (spec) => protectionsOf(spec).hop },
  payload: {
    words: 'from publisher to subscriber, payloads only: the broker still reads topics',
    of: (spec) => protectionsOf(spec).endToEnd ?? nothing,
  },
};

/**
 * What each level protects, for a factor whose levels decide about it; null for all others. Only the level itself is
 * looked at, so that "partly" stands where another factor decides the rest.
 */
export function protectionView(
  factor: FactorDefinition,
  chips: readonly LevelChip[],
  { draft, view }: { draft: ExperimentDraft; view: TestbedView },
): ProtectionView | null {
  const scope = scopes[factor.group];
  if (!scope) return null;
  const rows = chips.flatMap((chip): ProtectionRow[] => {
    const cell = { key: '', levels: { [factor.id]: chip.value }, refusals: [] };
    const spec = makeTreatments([cell], draft, view)[0]?.spec;
    return spec ? [{ chip, protection: scope.of(spec) }] : [];
  });
  const differ = new Set(rows.map((row) => JSON.stringify(row.protection))).size > 1;
  if (!differ) return null;
  const isWhole = rows.length <= maxRows;
  return { rows: isWhole ? rows : rows.filter((row) => row.chip.isChosen), isWhole, scope: scope.words };
}
