import type { LevelChip } from './level-choice.ts';

/** Lists up to `whole` stay as they are; longer ones show this many that are not chosen. */
const whole = 9;
const preview = { possible: 3, impossible: 2 };

/** Chosen chips always, then the first of the others; impossible ones stand last and keep a place in the preview. */
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
    if (chip.isChosen) return true;
    const kind = chip.refusal ? 'impossible' : 'possible';
    left[kind] -= 1;
    return left[kind] >= 0;
  });
  return { shown, folded: chips.length - shown.length };
}
