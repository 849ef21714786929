import { Checkbox, Menu, Switch } from '@mantine/core';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { Comparison } from '@mqttlab/shared/domain/comparison';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { groupMetrics } from '../ui/metric-groups.ts';
import pick from '../ui/pick-menu.module.css';
import { PickMenu } from '../ui/pick-menu.tsx';
import { SearchPick } from '../ui/search-pick.tsx';
import { TreatmentMark } from '../ui/treatment-mark.tsx';
import styles from './compare.module.css';
import type { CompareState } from './compare-state.ts';
import type { ComparisonViewModel } from './comparison-view-model.ts';

export type CompareToolbarProps = {
  comparison: Comparison;
  model: ComparisonViewModel;
  state: CompareState;
  onChange(change: Partial<CompareState>): void;
};

/** What is compared, on which response, against what. */
export function CompareToolbar({ comparison, model, state, onChange }: CompareToolbarProps): ReactElement {
  const measured = metrics.filter((metric) =>
    comparison.treatments.some((entry) =>
      entry.runs.some((run) => typeof run.metrics[metric.id] === 'number'),
    ),
  );
  return (
    <div className={styles.toolbar}>
      <TreatmentMenu comparison={comparison} state={state} onChange={onChange} />
      <SearchPick
        label="Response"
        placeholder="Search metrics"
        value={model.metric.id}
        groups={groupMetrics(measured)}
        onChange={(metric) => onChange({ metric })}
      />
      <PickMenu
        label="Baseline"
        value={model.baseline?.id ?? ''}
        options={model.shown.map((entry) => ({ value: entry.id, label: entry.treatment.shortLabel }))}
        onChange={(baseline) => onChange({ baseline })}
      />
      {comparison.flaggedRuns > 0 && (
        <Switch
          label={`Take in ${comparison.flaggedRuns} flagged ${comparison.flaggedRuns === 1 ? 'run' : 'runs'}`}
          size="sm"
          checked={state.flagged}
          onChange={(event) => onChange({ flagged: event.currentTarget.checked })}
        />
      )}
    </div>
  );
}

function TreatmentMenu({
  comparison,
  state,
  onChange,
}: Pick<CompareToolbarProps, 'comparison' | 'state' | 'onChange'>): ReactElement {
  const shown = comparison.treatments.filter((entry) => !state.hidden.includes(entry.id));
  const toggle = (id: string) => {
    const hidden = state.hidden.includes(id)
      ? state.hidden.filter((one) => one !== id)
      : [...state.hidden, id];
    if (hidden.length < comparison.treatments.length) onChange({ hidden });
  };
  return (
    <Menu position="bottom-start" closeOnItemClick={false}>
      <Menu.Target>
        <button type="button" className={pick.pick}>
          <span className={pick.label}>Compare</span>
          <span className={pick.value}>
            {shown.length} of {comparison.treatments.length} treatments
          </span>
          <IconChevronDown size={14} stroke={2.2} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {comparison.treatments.map((entry) => (
          <Menu.Item
            key={entry.id}
            role="menuitemcheckbox"
            aria-checked={!state.hidden.includes(entry.id)}
            onClick={() => toggle(entry.id)}
            leftSection={
              <Checkbox
                checked={!state.hidden.includes(entry.id)}
                readOnly
                tabIndex={-1}
                aria-hidden
                size="xs"
              />
            }
          >
            <span className={styles.head}>
              <TreatmentMark index={entry.treatment.mark} variant="dot" />
              {comparison.experiments.length > 1 && `E-${entry.experimentId} `}
              {entry.treatment.shortLabel}
            </span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
