import { TextInput } from '@mantine/core';
import type { FactorDefinition, FactorValue } from '@mqttlab/shared/domain/factor';
import { IconChevronDown, IconChevronUp, IconPlus, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactElement, type ReactNode, useId, useState } from 'react';
import { Chip, ChipGroup, ImpossibleChip } from '../../../ui/chip.tsx';
import { ActionButton } from '../../../ui/input/action-button.tsx';
import { type FieldProblem, FieldProblemLine } from '../../../ui/input/field.tsx';
import {
  boundsWords,
  chooseInSection,
  foldChips,
  type LevelChip,
  type LevelSection,
  type Levels,
  quickPicksOf,
  sectionsOf,
} from '../model/level-choice.ts';
import styles from './level-chips.module.css';

/** With `one`, a click replaces the level. With `many`, a click adds or removes a level. */
type Mode = 'one' | 'many';
type LevelChipsProps = { factor: FactorDefinition; levels: Levels; mode?: Mode };

/** Levels of a factor as chips. Impossible levels are shown with the reason, and long lists have sections. */
export function LevelChips({ factor, levels, mode = 'many' }: LevelChipsProps): ReactElement {
  const label = `Levels of ${factor.label}`;
  const onPick = mode === 'one' ? levels.choose : levels.toggle;
  const sections = sectionsOf(levels.chips);
  if (!sections) {
    return (
      <FoldedChips label={label} chips={levels.chips} onPick={onPick}>
        {factor.input.kind === 'number' && <AddLevel factor={factor} levels={levels} mode={mode} />}
      </FoldedChips>
    );
  }
  return (
    <div className={styles.sections}>
      {sections.map((section) => {
        const { name, chips, chosen, possible } = section;
        return (
          <section key={name} className={styles.section} aria-label={`${factor.label}, ${name}`}>
            <p className={styles.head}>
              <b>{name}</b>
              {chips.length > 1 && (
                <span>
                  {chosen} of {possible.length}
                </span>
              )}
              {mode === 'many' && <QuickPicks levels={levels} section={section} />}
            </p>
            <FoldedChips label={`${label}, ${name}`} chips={chips} onPick={onPick} />
          </section>
        );
      })}
    </div>
  );
}

/** Selects all or none of a section with one click. */
function QuickPicks({ levels, section }: { levels: Levels; section: LevelSection }): ReactNode {
  return quickPicksOf(section).map(({ label, values }) => {
    const next = chooseInSection(levels.chips, section, values);
    if (!next) return null;
    return (
      <button
        key={label}
        type="button"
        className={styles.quick}
        aria-label={`${section.name}: ${label}`}
        onClick={() => levels.set(next)}
      >
        {label}
      </button>
    );
  });
}

type FoldedChipsProps = {
  label: string;
  chips: readonly LevelChip[];
  onPick: (value: FactorValue) => void;
  children?: ReactNode;
};

/** Long lists are collapsed. */
function FoldedChips({ label, chips, onPick, children }: FoldedChipsProps): ReactElement {
  const [isUnfolded, setUnfolded] = useState(false);
  const { shown, folded } = foldChips(chips, isUnfolded);
  const Chevron = isUnfolded ? IconChevronUp : IconChevronDown;
  return (
    <ChipGroup label={label}>
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
      {children}
    </ChipGroup>
  );
}

type LevelChipViewProps = { chip: LevelChip; onPick: (value: FactorValue) => void };

/** A level chip; struck out with the reason if the testbed does not support it. */
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
          aria-label={`Remove ${label}`}
          title={`Remove ${label}`}
          onClick={() => onPick(value)}
        >
          <IconX size={14} stroke={2} aria-hidden />
        </button>
      )}
    </span>
  );
}

type AddLevelProps = { factor: FactorDefinition; levels: Levels; mode: Mode };

/** Input for a number. Shows problems with a remedy. */
function AddLevel({ factor, levels, mode }: AddLevelProps): ReactElement {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<FieldProblem | undefined>();
  const problemId = useId();
  const submit = () => {
    const parsed = levels.parse(text);
    if (!parsed.ok) {
      setProblem(parsed.problem);
      return;
    }
    if (mode === 'one') levels.choose(parsed.value);
    else levels.add(parsed.value);
    setText('');
    setProblem(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') submit();
  };
  return (
    <>
      <span className={styles.add}>
        <TextInput
          size="xs"
          className={styles.input}
          inputMode="decimal"
          aria-label={`Add a value for ${factor.label}${factor.unit ? `, ${factor.unit}` : ''}`}
          aria-describedby={problem ? problemId : undefined}
          error={problem !== undefined}
          placeholder="Add a value"
          title={`A number ${boundsWords(factor)}`}
          value={text}
          rightSection={factor.unit && <span className="dim">{factor.unit}</span>}
          rightSectionWidth={factor.unit ? 28 : 0}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setProblem(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        {text !== '' && (
          <ActionButton small icon={IconPlus} onClick={submit}>
            {mode === 'one' ? 'Use' : 'Add'}
          </ActionButton>
        )}
      </span>
      {problem && (
        <span className={styles.problem} role="alert">
          <FieldProblemLine id={problemId} problem={problem} />
        </span>
      )}
    </>
  );
}
