import type { LevelChip } from './level-choice.ts';

/** Lists up to `whole` stay as they are; longer ones show this many of each kind. */
const whole = 9;
const preview = { chosen: 8, possible: 3, impossible: 2 };

/** Chosen chips first of all, then some of the others; impossible ones stand last and keep a place in the preview. */
export function foldChips(
  chips: readonly LevelChip[],
  isUnfolded: boolean,
): { shown: LevelChip[]; folded: number } {
  const possible = chips.filter((chip) => !chip.refusal);
  const impossible = chips.filter((chip) => chip.refusal);
  const ordered = [...possible, ...impossible];
  if (isUnfolded || chips.length <= whole) return { shown: ordered, folded: 0 };
  const left = { ...preview };
  const shown = ordered.filter((chip) => {
    // One that is chosen and impossible stays in sight: it has to be taken out.
    if (chip.isChosen && chip.refusal) return true;
    const kind = chip.isChosen ? 'chosen' : chip.refusal ? 'impossible' : 'possible';
    left[kind] -= 1;
    return left[kind] >= 0;
  });
  return { shown, folded: chips.length - shown.length };
}
