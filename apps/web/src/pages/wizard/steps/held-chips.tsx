import { Popover } from '@mantine/core';
import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import { chosenLevels } from '@mqttlab/shared/planning/expand-treatments';
import { IconArrowsSplit2, IconChevronDown } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { ActionButton } from '../../../ui/input/buttons.tsx';
import { FieldRow } from '../../../ui/input/field.tsx';
import type { GroupLayout } from '../model/factor-layout.ts';
import { chipLabel, useLevels } from '../model/level-choice.ts';
import { useWizard } from '../model/wizard-context.tsx';
import styles from './held-chips.module.css';
import { LevelChips } from './level-chips.tsx';

type HeldChipsProps = {
  group: GroupLayout;
  /** "Held at", or the name of the group where it stands alone. */
  label: string;
  onVary: (factor: FactorDefinition) => void;
  onShowExpert: () => void;
};

/** What a group holds constant: one chip for each factor, to change its level or to vary it. */
export function HeldChips({ group, label, onVary, onShowExpert }: HeldChipsProps): ReactElement | null {
  const { held, hidden, idle } = group;
  if (held.length + hidden.length + idle.length === 0) return null;
  return (
    <FieldRow label={label}>
      <div className={styles.chips}>
        {held.map((factor) => (
          <HeldChip key={factor.id} factor={factor} onVary={() => onVary(factor)} />
        ))}
        {hidden.length > 0 && (
          <button type="button" className={styles.expert} onClick={onShowExpert}>
            {hidden.length} more for experts
            <IconChevronDown size={14} stroke={2} aria-hidden />
          </button>
        )}
      </div>
      {idle.length > 0 && (
        <p className={styles.idle}>
          Nothing to choose here: {idle.map((factor) => factor.label.toLowerCase()).join(', ')}.
        </p>
      )}
    </FieldRow>
  );
}

type HeldChipProps = { factor: FactorDefinition; onVary: () => void };

function HeldChip({ factor, onVary }: HeldChipProps): ReactElement {
  const { draft, planning } = useWizard();
  const [isOpen, setOpen] = useState(false);
  const [level] = chosenLevels(draft, factor, planning.view);
  const words = level === undefined ? '' : chipLabel(factor, level, planning.view);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width={400} trapFocus withinPortal>
      <Popover.Target>
        <button type="button" className={styles.chip} onClick={() => setOpen(!isOpen)}>
          <span>{factor.label}</span>
          <b>{words}</b>
          <IconChevronDown size={14} stroke={2} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={`${factor.label}, held at ${words}`}>
        <HeldEditor factor={factor} onVary={onVary} />
      </Popover.Dropdown>
    </Popover>
  );
}

function HeldEditor({ factor, onVary }: HeldChipProps): ReactElement {
  const levels = useLevels(factor);
  return (
    <div className={styles.editor}>
      <p className={styles.help}>
        <b>{factor.label}.</b> {factor.help}
      </p>
      <LevelChips factor={factor} levels={levels} mode="one" />
      <ActionButton small icon={IconArrowsSplit2} onClick={onVary}>
        Vary {factor.label}
      </ActionButton>
    </div>
  );
}
