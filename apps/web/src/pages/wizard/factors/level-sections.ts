import type { FactorValue } from '@mqttlab/shared/domain/factor';
import type { LevelChip } from './level-choice.ts';

export interface LevelSection {
  /** "TLS 1.2" */
  name: string;
  chips: LevelChip[];
  chosen: number;
  /** Levels that the testbed can do. */
  possible: FactorValue[];
  /** Those of them that nothing speaks against. */
  sound: FactorValue[];
}

/** Sections in the order in which their first level stands; null for factors without sections. */
export function sectionsOf(chips: readonly LevelChip[]): LevelSection[] | null {
  if (chips.every((chip) => chip.section === null)) return null;
  return [...Map.groupBy(chips, (chip) => chip.section ?? 'Other')].map(([name, own]) => ({
    name,
    chips: own,
    chosen: own.filter((chip) => chip.isChosen).length,
    possible: own.filter((chip) => !chip.refusal).map((chip) => chip.value),
    sound: own.filter((chip) => !chip.refusal && chip.caution === null).map((chip) => chip.value),
  }));
}

/**
 * What is chosen in all, once exactly `wanted` is chosen in one section; null where nothing would be left, for a factor
 * has at least one level.
 */
export function chooseInSection(
  chips: readonly LevelChip[],
  section: LevelSection,
  wanted: readonly FactorValue[],
): FactorValue[] | null {
  const next = chips
    .filter((chip) => (section.chips.includes(chip) ? wanted.includes(chip.value) : chip.isChosen))
    .map((chip) => chip.value);
  return next.length === 0 ? null : next;
}

export interface QuickPick {
  label: string;
  values: readonly FactorValue[];
}

/** "all 41", "27 without insecure ones", "none": what can be chosen with one click. */
export function quickPicksOf({ chips, possible, sound, chosen }: LevelSection): QuickPick[] {
  if (chips.length < 2) return [];
  return [
    ...(possible.length > 1 && chosen < possible.length
      ? [{ label: `all ${possible.length}`, values: possible }]
      : []),
    ...(sound.length > 1 && sound.length < possible.length
      ? [{ label: `${sound.length} without insecure ones`, values: sound }]
      : []),
    ...(chosen > 0 ? [{ label: 'none', values: [] }] : []),
  ];
}
