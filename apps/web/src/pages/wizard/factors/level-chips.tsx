import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import { type ReactElement, useState } from 'react';
import { ChipGroup } from '../../../ui/chip.tsx';
import { AddLevel } from './add-level.tsx';
import { foldChips } from './fold-chips.ts';
import { FoldButton, LevelChipView } from './level-chip-view.tsx';
import { sectionsOf } from './level-sections.ts';
import { SectionChips } from './section-chips.tsx';
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
  const sections = sectionsOf(levels.chips);
  if (sections) return <SectionChips {...{ factor, levels, sections, mode }} />;
  const { shown, folded } = foldChips(levels.chips, isUnfolded);
  return (
    <ChipGroup label={`Levels of ${factor.label}`}>
      {shown.map((chip) => (
        <LevelChipView
          key={String(chip.value)}
          chip={chip}
          onPick={mode === 'one' ? levels.choose : levels.toggle}
        />
      ))}
      {(folded > 0 || isUnfolded) && (
        <FoldButton folded={folded} isUnfolded={isUnfolded} onToggle={() => setUnfolded(!isUnfolded)} />
      )}
      {factor.input.kind === 'number' && <AddLevel factor={factor} levels={levels} mode={mode} />}
    </ChipGroup>
  );
}
