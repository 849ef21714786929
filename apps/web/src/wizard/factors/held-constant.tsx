import { Button } from '@mantine/core';
import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import { chosenLevels } from '@mqttlab/shared/planning/expand-treatments';
import { IconArrowsSplit2, IconChevronDown } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { FieldRow } from '../../ui/field.tsx';
import { useWizard } from '../wizard-context.tsx';
import { FactorHelp } from './factor-help.tsx';
import styles from './held-constant.module.css';
import { LevelChips } from './level-chips.tsx';
import { useLevels } from './use-levels.ts';

type HeldConstantProps = {
  factors: readonly FactorDefinition[];
  onVary: (factor: FactorDefinition) => void;
  isOpen: boolean;
};

/** Factors with one level: in one line, or open to be changed or varied. */
export function HeldConstant({ factors, onVary, isOpen }: HeldConstantProps): ReactElement | null {
  const { draft, planning } = useWizard();
  if (factors.length === 0) return null;
  const words = factors.map((factor) => {
    const [level] = chosenLevels(draft, factor, planning.view);
    return level === undefined ? factor.label : factor.levelLabel(level);
  });
  return (
    <details className={styles.held} open={isOpen}>
      <summary>
        <h3>Held constant</h3>
        <span className={styles.words}>
          {factors.length === 1 ? '1 factor' : `${factors.length} factors`}: {words.join(', ')}
        </span>
        <IconChevronDown size={16} stroke={2} aria-hidden />
      </summary>
      {factors.map((factor) => (
        <HeldRow key={factor.id} factor={factor} onVary={() => onVary(factor)} />
      ))}
    </details>
  );
}

type HeldRowProps = { factor: FactorDefinition; onVary: () => void };

function HeldRow({ factor, onVary }: HeldRowProps): ReactElement {
  const levels = useLevels(factor);
  return (
    <FieldRow
      label={factor.label}
      note={
        <>
          1 level
          <FactorHelp factor={factor} />
        </>
      }
    >
      <div className={styles.body}>
        <div className={styles.chips}>
          <LevelChips factor={factor} levels={levels} mode="one" />
        </div>
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          leftSection={<IconArrowsSplit2 size={14} stroke={2} aria-hidden />}
          aria-label={`Vary ${factor.label}`}
          onClick={onVary}
        >
          Vary
        </Button>
      </div>
    </FieldRow>
  );
}
