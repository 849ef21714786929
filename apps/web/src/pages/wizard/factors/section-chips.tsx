import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import { type ReactElement, useState } from 'react';
import { ChipGroup } from '../../../ui/chip.tsx';
import { foldChips } from './fold-chips.ts';
import { FoldButton, LevelChipView } from './level-chip-view.tsx';
import { chooseInSection, type LevelSection, quickPicksOf } from './level-sections.ts';
import styles from './section-chips.module.css';
import type { Levels } from './use-levels.ts';

type SectionChipsProps = {
  factor: FactorDefinition;
  levels: Levels;
  sections: readonly LevelSection[];
  mode: 'one' | 'many';
};

/** Dozens of levels, section by section, each folded, with all or none of a section in one click. */
export function SectionChips({ factor, levels, sections, mode }: SectionChipsProps): ReactElement {
  return (
    <div className={styles.sections}>
      {sections.map((section) => (
        <SectionView key={section.name} {...{ factor, levels, section, mode }} />
      ))}
    </div>
  );
}

type SectionViewProps = Omit<SectionChipsProps, 'sections'> & { section: LevelSection };

function SectionView({ factor, levels, section, mode }: SectionViewProps): ReactElement {
  const [isUnfolded, setUnfolded] = useState(false);
  const { shown, folded } = foldChips(section.chips, isUnfolded);
  return (
    <section className={styles.section} aria-label={`${factor.label}, ${section.name}`}>
      <p className={styles.head}>
        <b>{section.name}</b>
        {section.chips.length > 1 && (
          <span>
            {section.chosen} of {section.possible.length}
          </span>
        )}
        {mode === 'many' &&
          quickPicksOf(section).map(({ label, values }) => {
            const next = chooseInSection(levels.chips, section, values);
            return next ? (
              <button
                key={label}
                type="button"
                className={styles.quick}
                aria-label={`${section.name}: ${label}`}
                onClick={() => levels.set(next)}
              >
                {label}
              </button>
            ) : null;
          })}
      </p>
      <ChipGroup label={`Levels of ${factor.label}, ${section.name}`}>
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
      </ChipGroup>
    </section>
  );
}
