import { Button, Menu } from '@mantine/core';
import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import { IconPlus } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Panel } from '../../ui/panel.tsx';
import { IssueList } from '../frame/issue-list.tsx';
import { StepHead } from '../frame/step-head.tsx';
import { issuesOfStep } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { CombinationMatrix } from './combination-matrix.tsx';
import { factorGroups, initiallyOpen, layOutFactors } from './factor-layout.ts';
import { FactorRow } from './factor-row.tsx';
import styles from './factors-step.module.css';
import { HeldConstant } from './held-constant.tsx';

export function FactorsStep(): ReactElement {
  const { draft, planning } = useWizard();
  const { view } = planning;
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => initiallyOpen(draft, view));
  const layout = layOutFactors(draft, view, opened);
  const open = (factor: FactorDefinition) => setOpened(new Set([...opened, factor.id]));
  return (
    <>
      <StepHead
        title="Factors and levels"
        lead="Vary what answers the question, hold the rest constant."
        actions={<AddFactor held={layout.held} onAdd={open} />}
      />
      <IssueList issues={issuesOfStep(planning.issues, 'factors')} />
      {layout.groups.map((group) => (
        <section key={group.id} className={styles.group} aria-labelledby={`group-${group.id}`}>
          <GroupHead {...group} />
          <Panel>
            {group.factors.map((factor) => (
              <FactorRow key={factor.id} factor={factor} />
            ))}
            <CombinationMatrix group={group.id} />
          </Panel>
        </section>
      ))}
      <HeldConstant factors={layout.held} onVary={open} isOpen={layout.groups.length === 0} />
    </>
  );
}

function GroupHead({ id, label, factors }: ReturnType<typeof layOutFactors>['groups'][number]): ReactElement {
  return (
    <h3 id={`group-${id}`} className={styles.head}>
      {label}
      <span>{factors.length === 1 ? '1 factor' : `${factors.length} factors`}</span>
    </h3>
  );
}

type AddFactorProps = { held: readonly FactorDefinition[]; onAdd: (factor: FactorDefinition) => void };

function AddFactor({ held, onAdd }: AddFactorProps): ReactElement | null {
  if (held.length === 0) return null;
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<IconPlus size={14} stroke={2} aria-hidden />}>
          Add a factor
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {factorGroups.map((group) => {
          const inGroup = held.filter((factor) => factor.group === group.id);
          return inGroup.length === 0 ? null : (
            <div key={group.id}>
              <Menu.Label>{group.label}</Menu.Label>
              {inGroup.map((factor) => (
                <Menu.Item key={factor.id} onClick={() => onAdd(factor)}>
                  {factor.label}
                </Menu.Item>
              ))}
            </div>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
