import type { FactorValue } from '@mqttlab/shared/domain/factor';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Chip, ImpossibleChip } from '../../../ui/chip.tsx';
import styles from './level-chips.module.css';
import type { LevelChip } from './level-choice.ts';

type LevelChipViewProps = { chip: LevelChip; onPick: (value: FactorValue) => void };

/** A level to choose; struck out with its reason where the testbed cannot do it. */
export function LevelChipView({ chip, onPick }: LevelChipViewProps): ReactElement {
  const { value, label, isMono, isChosen, refusal, caution } = chip;
  if (!refusal) {
    return (
      <Chip
        selected={isChosen}
        onToggle={() => onPick(value)}
        mono={isMono}
        {...(caution ? { caution } : {})}
      >
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

type FoldButtonProps = { folded: number; isUnfolded: boolean; onToggle: () => void };

export function FoldButton({ folded, isUnfolded, onToggle }: FoldButtonProps): ReactElement {
  const Chevron = isUnfolded ? IconChevronUp : IconChevronDown;
  return (
    <button type="button" className={styles.more} aria-expanded={isUnfolded} onClick={onToggle}>
      {isUnfolded ? 'Fewer' : `${folded} more`}
      <Chevron size={14} stroke={2} aria-hidden />
    </button>
  );
}
