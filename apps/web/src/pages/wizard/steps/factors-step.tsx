import { Box, Popover, Switch, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { FactorDefinition, FactorGroup } from '@mqttlab/shared/domain/factor';
import { formatCount } from '@mqttlab/shared/format/number';
import { chosenLevels } from '@mqttlab/shared/planning/expand-treatments';
import { IconArrowsSplit2, IconCheck, IconChevronDown, IconInfoCircle, IconPlus } from '@tabler/icons-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { ActionButton } from '../../../ui/input/action-button.tsx';
import { FieldRow } from '../../../ui/input/field.tsx';
import { SearchPick } from '../../../ui/input/pick.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { describeGroup, type GroupLayout, initiallyOpen, layOutFactors } from '../model/factor-layout.ts';
import { chipLabel, useLevels } from '../model/level-choice.ts';
import { type MatrixBlock, makeMatrix } from '../model/make-matrix.ts';
import { issuesOfStep } from '../model/steps.ts';
import { useWizard } from '../model/wizard-context.tsx';
import styles from './factors-step.module.css';
import heldChipsStyles from './held-chips.module.css';
import { LevelChips } from './level-chips.tsx';
import { ProtectionTable, protectionView } from './protection-table.tsx';
import { IssueList, StepHead } from './step-frame.tsx';

export function FactorsStep(): ReactElement {
  const { draft, planning } = useWizard();
  const { view, cells } = planning;
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => initiallyOpen(draft, view));
  const [showsExpert, setShowsExpert] = useExpert();
  const groups = layOutFactors({ draft, view, cells, opened, showsExpert });
  const varied = groups.filter((group) => group.open.length > 0);
  const showExpert = () => setShowsExpert(true);
  // Focus moves to the opened row, because opening the row removes its button.
  const [latest, setLatest] = useState<string | null>(null);
  const open = (factor: FactorDefinition) => {
    setOpened(new Set([...opened, factor.id]));
    setLatest(factor.id);
  };
  return (
    <>
      <StepHead
        title="Factors and levels"
        lead="Vary the factors that answer the question. Hold the others constant."
        actions={
          <>
            <Switch
              label="Show expert factors"
              checked={showsExpert}
              onChange={(event) => setShowsExpert(event.currentTarget.checked)}
            />
            <AddFactor groups={groups} onAdd={open} />
          </>
        }
      />
      <IssueList issues={issuesOfStep(planning.issues, 'factors')} />
      {varied.map((group) => (
        <section key={group.id} className={styles.group} aria-labelledby={`group-${group.id}`}>
          <h3 id={`group-${group.id}`} className={styles.head}>
            {group.label}
            <span>{describeGroup(group, draft, view)}</span>
          </h3>
          <Panel>
            {group.open.map((factor) => (
              <FactorRow key={factor.id} factor={factor} takesFocus={factor.id === latest} />
            ))}
            <CombinationMatrix group={group.id} />
            <HeldChips group={group} label="Held at" onVary={open} onShowExpert={showExpert} />
          </Panel>
        </section>
      ))}
      <HeldGroups
        groups={groups.filter((group) => group.open.length === 0)}
        onVary={open}
        onShowExpert={showExpert}
      />
    </>
  );
}

type AddFactorProps = { groups: readonly GroupLayout[]; onAdd: (factor: FactorDefinition) => void };

/** Factors without a row, including expert factors. */
function AddFactor({ groups, onAdd }: AddFactorProps): ReactElement | null {
  const offered = groups.map((group) => ({ label: group.label, factors: [...group.held, ...group.hidden] }));
  const all = offered.flatMap((group) => group.factors);
  if (all.length === 0) return null;
  return (
    <SearchPick
      label="Factors to add"
      placeholder="Search factors"
      value=""
      trigger={
        <>
          <IconPlus size={14} stroke={2} aria-hidden />
          Add a factor
        </>
      }
      groups={offered.map(({ label, factors }) => ({
        label,
        options: factors.map((factor) => ({
          value: factor.id,
          label: factor.label,
          words: factor.help,
          ...(factor.audience === 'expert' ? { note: 'expert' } : {}),
        })),
      }))}
      onChange={(id) => {
        const factor = all.find((one) => one.id === id);
        if (factor) onAdd(factor);
      }}
    />
  );
}

/** A factor: name, number of selected levels, and the levels. */
function FactorRow({ factor, takesFocus }: { factor: FactorDefinition; takesFocus: boolean }): ReactElement {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!takesFocus) return;
    row.current?.scrollIntoView({ block: 'center' });
    row.current?.querySelector<HTMLElement>('fieldset button, fieldset input, table button')?.focus();
  }, [takesFocus]);
  const { draft, planning } = useWizard();
  const levels = useLevels(factor);
  const chosen = levels.chips.filter((chip) => chip.isChosen).length;
  const protects = protectionView(factor, levels.chips, { draft, view: planning.view });
  return (
    <FieldRow
      ref={row}
      label={factor.label}
      note={
        <>
          {noteOf(factor, chosen, levels.chips.length)}
          <FactorHelp factor={factor} />
        </>
      }
    >
      {!protects?.isWhole && <LevelChips factor={factor} levels={levels} />}
      {protects && (
        <ProtectionTable view={protects} {...(protects.isWhole ? { onToggle: levels.toggle } : {})} />
      )}
    </FieldRow>
  );
}

function noteOf(factor: FactorDefinition, chosen: number, all: number): string {
  if (chosen === 1) return '1 level: choose a second one to vary it';
  return factor.input.kind === 'number' ? `${chosen} levels` : `${chosen} of ${all} levels`;
}

/** Description of a factor on hover, focus or touch. */
function FactorHelp({ factor }: { factor: FactorDefinition }): ReactElement {
  return (
    <Tooltip label={factor.help} multiline w={260} position="right-start">
      <button type="button" className={styles.help} aria-label={`About ${factor.label}: ${factor.help}`}>
        <IconInfoCircle size={14} stroke={2} aria-hidden />
      </button>
    </Tooltip>
  );
}

/**
 * Possible and impossible combinations of a group, with reasons. The keyboard can also scroll it sideways
 * (WCAG 2.1.1).
 */
function CombinationMatrix({ group }: { group: FactorGroup }): ReactElement | null {
  const { draft, planning } = useWizard();
  const matrix = makeMatrix(group, draft, planning.view);
  if (!matrix || !(matrix.isTelling || group === 'security')) return null;
  const { heads, rows, possible, struckOut } = matrix;
  return (
    <FieldRow
      label="Combinations"
      note={`${formatCount(possible)} possible, ${formatCount(struckOut)} struck out`}
    >
      <Box component="section" className={styles.scroll ?? ''} tabIndex={0} aria-label="Combinations">
        <table className={styles.table}>
          <thead>
            {heads.map((line) => (
              <tr key={line[0]?.key}>
                <td />
                {line.map(({ key, label, span }) => (
                  <th key={key} scope={span > 1 ? 'colgroup' : 'col'} colSpan={span}>
                    {label}
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody>
            {rows.map(({ key, label, title, blocks }) => (
              <tr key={key}>
                <th scope="row" title={title}>
                  {label}
                </th>
                {blocks.map((block) => (
                  <MatrixCell key={block.key} block={block} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </FieldRow>
  );
}

function MatrixCell({ block }: { block: MatrixBlock }): ReactElement {
  const { kind, words, struck, colSpan, rowSpan } = block;
  return (
    <td data-kind={kind} colSpan={colSpan} rowSpan={rowSpan}>
      {kind === 'possible' && <IconCheck size={14} stroke={2} role="img" aria-label="possible" />}
      {kind === 'once' && <span>{words}</span>}
      {kind === 'impossible' && (
        <>
          {struck && <s>{struck}</s>}
          <span className="visually-hidden">not possible: </span>
          <span>{words}</span>
        </>
      )}
    </td>
  );
}

type HeldGroupsProps = {
  groups: readonly GroupLayout[];
  onVary: (factor: FactorDefinition) => void;
  onShowExpert: () => void;
};

/** Groups without varied factors, one row each. */
function HeldGroups({ groups, onVary, onShowExpert }: HeldGroupsProps): ReactElement | null {
  if (groups.length === 0) return null;
  return (
    <section className={styles.group} aria-labelledby="held-constant">
      <h3 id="held-constant" className={styles.head}>
        Held constant
        <span>the same in every run; open a factor to change or vary it</span>
      </h3>
      <Panel>
        {groups.map((group) => (
          <HeldChips
            key={group.id}
            group={group}
            label={group.label}
            onVary={onVary}
            onShowExpert={onShowExpert}
          />
        ))}
      </Panel>
    </section>
  );
}

/** Returns whether expert factors are shown; the browser stores this. */
function useExpert(): [boolean, (shows: boolean) => void] {
  const [shows, setShows] = useLocalStorage({
    key: 'mqttlab.expert-factors',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  return [shows, setShows];
}

type HeldChipsProps = {
  group: GroupLayout;
  /** "Held at", or the name of the group if it has no rows. */
  label: string;
  onVary: (factor: FactorDefinition) => void;
  onShowExpert: () => void;
};

/** Constant factors of a group: one chip per factor, to change its level or to vary it. */
function HeldChips({ group, label, onVary, onShowExpert }: HeldChipsProps): ReactElement | null {
  const { held, hidden, idle } = group;
  if (held.length + hidden.length + idle.length === 0) return null;
  return (
    <FieldRow label={label}>
      <div className={heldChipsStyles.chips}>
        {held.map((factor) => (
          <HeldChip key={factor.id} factor={factor} onVary={() => onVary(factor)} />
        ))}
        {hidden.length > 0 && (
          <button type="button" className={heldChipsStyles.expert} onClick={onShowExpert}>
            {hidden.length} more for experts
            <IconChevronDown size={14} stroke={2} aria-hidden />
          </button>
        )}
      </div>
      {idle.length > 0 && (
        <p className={heldChipsStyles.idle}>
          Not applicable to this plan: {idle.map((factor) => factor.label.toLowerCase()).join(', ')}.
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
        <button type="button" className={heldChipsStyles.chip} onClick={() => setOpen(!isOpen)}>
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
    <div className={heldChipsStyles.editor}>
      <p className={heldChipsStyles.help}>
        <b>{factor.label}.</b> {factor.help}
      </p>
      <LevelChips factor={factor} levels={levels} mode="one" />
      <ActionButton small icon={IconArrowsSplit2} onClick={onVary}>
        Vary {factor.label}
      </ActionButton>
    </div>
  );
}
