import { Switch } from '@mantine/core';
import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import { IconPlus } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { SearchPick } from '../../../ui/input/search-pick.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { IssueList } from '../frame/issue-list.tsx';
import { StepHead } from '../frame/step-head.tsx';
import { issuesOfStep } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { CombinationMatrix } from './combination-matrix.tsx';
import { describeGroup, type GroupLayout, initiallyOpen, layOutFactors } from './factor-layout.ts';
import { FactorRow } from './factor-row.tsx';
import styles from './factors-step.module.css';
import { HeldChips } from './held-chips.tsx';
import { HeldGroups } from './held-groups.tsx';
import { useExpert } from './use-expert.ts';

export function FactorsStep(): ReactElement {
  const { draft, planning } = useWizard();
  const { view, cells } = planning;
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => initiallyOpen(draft, view));
  const [showsExpert, setShowsExpert] = useExpert();
  const groups = layOutFactors({ draft, view, cells, opened, showsExpert });
  const varied = groups.filter((group) => group.open.length > 0);
  const showExpert = () => setShowsExpert(true);
  const open = (factor: FactorDefinition) => setOpened(new Set([...opened, factor.id]));
  return (
    <>
      <StepHead
        title="Factors and levels"
        lead="Vary what answers the question, hold the rest constant."
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
              <FactorRow key={factor.id} factor={factor} />
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

/** Every factor that has no row yet, also those for experts. */
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
