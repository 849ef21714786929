import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import type { ReactElement } from 'react';
import { Panel } from '../../../ui/panel.tsx';
import type { GroupLayout } from './factor-layout.ts';
import styles from './factors-step.module.css';
import { HeldChips } from './held-chips.tsx';

type HeldGroupsProps = {
  groups: readonly GroupLayout[];
  onVary: (factor: FactorDefinition) => void;
  onShowExpert: () => void;
};

/** Groups in which nothing is varied, a row each. */
export function HeldGroups({ groups, onVary, onShowExpert }: HeldGroupsProps): ReactElement | null {
  if (groups.length === 0) return null;
  return (
    <section className={styles.group} aria-labelledby="held-constant">
      <h3 id="held-constant" className={styles.head}>
        Held constant
        <span>the same in every run; open one to change or to vary it</span>
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
