import type { FactorDefinition, FactorValue } from '@mqttlab/shared/domain/factor';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Chip, ChipGroup, ImpossibleChip } from '../../ui/chip.tsx';
import { AddLevel } from './add-level.tsx';
import { foldChips } from './fold-chips.ts';
import styles from './level-chips.module.css';
import type { LevelChip } from './level-choice.ts';
import type { Levels } from './use-levels.ts';

type LevelChipsProps = {
  factor: FactorDefinition;
  levels: Levels;
  /** `one`: a click replaces the level; `many`: it puts one in or takes it out. */
  mode?: 'one' | 'many';
};

/** The levels of a factor as chips; long lists fold, impossible levels stay in sight with their reason. */
export function LevelChips({ factor, levels, mode = 'many' }: LevelChipsProps): ReactElement {
  const [isUnfolded, setUnfolded] = useState(false);
  const { shown, folded } = foldChips(levels.chips, isUnfolded);
  const onPick = mode === 'one' ? levels.choose : levels.toggle;
  const Chevron = isUnfolded ? IconChevronUp : IconChevronDown;
  return (
    <ChipGroup label={`Levels of ${factor.label}`}>
      {shown.map((chip) => (
        <LevelChipView key={String(chip.value)} chip={chip} onPick={onPick} />
      ))}
      {(folded > 0 || isUnfolded) && (
        <button
          type="button"
          className={styles.more}
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
        >
          {isUnfolded ? 'Fewer' : `${folded} more`}
          <Chevron size={14} stroke={2} aria-hidden />
        </button>
      )}
      {factor.input.kind === 'number' && <AddLevel factor={factor} levels={levels} mode={mode} />}
    </ChipGroup>
  );
}

type LevelChipViewProps = { chip: LevelChip; onPick: (value: FactorValue) => void };

export function LevelChipView({ chip, onPick }: LevelChipViewProps): ReactElement {
  const { value, label, isMono, isChosen, refusal } = chip;
  if (!refusal) {
    return (
      <Chip selected={isChosen} onToggle={() => onPick(value)} mono={isMono}>
        {label}
      </Chip>
    );
  }
  return (
    <span className={styles.impossible}>
      <ImpossibleChip reason={refusal.reason} mono={isMono}>
        {label}
      </ImpossibleChip>
      {isChosen && (
        <button
          type="button"
          className={styles.remove}
          aria-label={`Take out ${label}`}
          title={`Take out ${label}`}
          onClick={() => onPick(value)}
        >
          <IconX size={14} stroke={2} aria-hidden />
        </button>
      )}
    </span>
  );
}
