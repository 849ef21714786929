import { Checkbox, Menu } from '@mantine/core';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import pick from '../../ui/input/pick.module.css';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import type { CompareState } from './compare-state.ts';
import type { ComparisonViewModel } from './comparison-view-model.ts';
import { levelKey, withoutLevels } from './facets.ts';
import styles from './panels/compare.module.css';

export type TreatmentMenuProps = {
  comparison: Comparison;
  model: ComparisonViewModel;
  state: CompareState;
  onChange(change: Partial<CompareState>): void;
};

/** What is compared: by level of anything that varies, or treatment by treatment; never nothing. */
export function TreatmentMenu({ comparison, model, state, onChange }: TreatmentMenuProps): ReactElement {
  const { treatments } = comparison;
  const kept = withoutLevels(treatments, model.facets, state.without);
  const change = ({ hidden, without }: Pick<CompareState, 'hidden' | 'without'>) => {
    const left = withoutLevels(treatments, model.facets, without);
    if (left.some((entry) => !hidden.includes(entry.id))) onChange({ hidden, without });
  };
  const isFiltered = model.shown.length < treatments.length;
  return (
    <Menu position="bottom-start" closeOnItemClick={false}>
      <Menu.Target>
        <button type="button" className={pick.pick}>
          <span className={pick.label}>Compare</span>
          <span className={pick.value}>
            {model.shown.length} of {treatments.length} treatments
          </span>
          <IconChevronDown size={14} stroke={2.2} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown className={pick.dropdown ?? ''}>
        {isFiltered && (
          <Menu.Item onClick={() => onChange({ hidden: [], without: [] })}>Show all treatments</Menu.Item>
        )}
        {model.facets.map((facet) => (
          <div key={facet.id}>
            <Menu.Label>{facet.label}</Menu.Label>
            {facet.levels.map(({ value, label }) => {
              const key = levelKey(facet.id, value);
              return (
                <CheckItem
                  key={key}
                  isChecked={!state.without.includes(key)}
                  onToggle={() => change({ hidden: state.hidden, without: toggled(state.without, key) })}
                >
                  {label}
                </CheckItem>
              );
            })}
          </div>
        ))}
        <Menu.Label>Treatments</Menu.Label>
        {kept.map((entry) => (
          <CheckItem
            key={entry.id}
            isChecked={!state.hidden.includes(entry.id)}
            onToggle={() => change({ without: state.without, hidden: toggled(state.hidden, entry.id) })}
          >
            <span className={styles.head}>
              <TreatmentMark index={model.identity(entry).index} variant="dot" />
              {comparison.experiments.length > 1 && `E-${entry.experimentId} `}
              {entry.treatment.shortLabel}
            </span>
          </CheckItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The list without the item, or with it. */
export function toggled(list: readonly string[], item: string): string[] {
  return list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
}

type CheckItemProps = { isChecked: boolean; onToggle(): void; children: ReactNode };

function CheckItem({ isChecked, onToggle, children }: CheckItemProps): ReactElement {
  return (
    <Menu.Item
      role="menuitemcheckbox"
      aria-checked={isChecked}
      onClick={onToggle}
      leftSection={<Checkbox checked={isChecked} readOnly tabIndex={-1} aria-hidden size="xs" />}
    >
      {children}
    </Menu.Item>
  );
}
