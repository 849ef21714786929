import { Button, Checkbox, Drawer, Menu, Switch } from '@mantine/core';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { IconAdjustmentsHorizontal, IconChevronDown } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import pick from '../../ui/input/pick.module.css';
import { groupMetrics, PickMenu, SearchPick } from '../../ui/input/pick.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import { levelKey, withoutLevels } from './arrangement.ts';
import styles from './compare.module.css';
import type { CompareState } from './compare-state.ts';
import type { ComparisonViewModel } from './comparison-view-model.ts';

/** What is compared, on which response, against what; how it is parted, coloured and scaled. On phones all but the first two stand in a drawer. */
export function CompareToolbar(props: TreatmentMenuProps): ReactElement {
  const { comparison, model, state, onChange } = props;
  const measured = metrics.filter((metric) =>
    comparison.treatments.some((entry) =>
      entry.runs.some((run) => typeof run.metrics[metric.id] === 'number'),
    ),
  );
  const facets = model.facets.map(({ id, label }) => ({ value: id, label }));
  const planned = { value: '', label: 'as planned' };
  const known = (id: string) => (id === 'none' || facets.some(({ value }) => value === id) ? id : '');
  const [isOpen, setIsOpen] = useState(false);
  const isPhone = useIsPhone();
  const first = (
    <>
      <TreatmentMenu {...props} />
      <SearchPick
        label="Response"
        placeholder="Search metrics"
        value={model.metric.id}
        groups={groupMetrics(measured)}
        onChange={(metric) => onChange({ metric })}
      />
    </>
  );
  const rest = (
    <>
      <PickMenu
        label="Baseline"
        value={model.baseline?.id ?? ''}
        options={model.shown.map((entry) => ({ value: entry.id, label: entry.treatment.shortLabel }))}
        onChange={(baseline) => onChange({ baseline })}
      />
      {facets.length > 0 && (
        <>
          <PickMenu
            label="Panels"
            value={known(state.group)}
            options={[planned, ...facets, { value: 'none', label: 'one panel' }]}
            onChange={(group) => onChange({ group })}
          />
          <PickMenu
            label="Colour"
            value={known(state.colour)}
            options={[planned, ...facets]}
            onChange={(colour) => onChange({ colour })}
          />
        </>
      )}
      <SegmentedSwitch
        label="Unit"
        value={state.unit}
        options={[
          { value: 'absolute', label: 'Absolute' },
          { value: 'baseline', label: '% of baseline' },
        ]}
        onChange={(unit) => onChange({ unit, brush: null })}
      />
      <SegmentedSwitch
        label="Scale"
        value={state.scale}
        options={[
          { value: 'linear', label: 'Linear' },
          { value: 'log', label: 'Log' },
        ]}
        onChange={(scale) => onChange({ scale })}
      />
      {comparison.flaggedRuns > 0 && (
        <Switch
          label={`Include ${comparison.flaggedRuns} flagged ${comparison.flaggedRuns === 1 ? 'run' : 'runs'}`}
          size="sm"
          checked={state.flagged}
          onChange={(event) => onChange({ flagged: event.currentTarget.checked })}
        />
      )}
    </>
  );
  if (!isPhone) {
    return (
      <div className={styles.toolbar}>
        {first}
        {rest}
      </div>
    );
  }
  return (
    <div className={styles.toolbar}>
      {first}
      <Button
        variant="default"
        size="lg"
        leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        Arrange
      </Button>
      <Drawer opened={isOpen} onClose={() => setIsOpen(false)} title="Arrange" position="bottom" size="70%">
        <div className={styles.drawer}>{rest}</div>
      </Drawer>
    </div>
  );
}

type TreatmentMenuProps = {
  comparison: Comparison;
  model: ComparisonViewModel;
  state: CompareState;
  onChange(change: Partial<CompareState>): void;
};

/** What is compared: by level of anything that varies, or treatment by treatment; never nothing. */
function TreatmentMenu({ comparison, model, state, onChange }: TreatmentMenuProps): ReactElement {
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

type MarkBarProps = {
  model: ComparisonViewModel;
  marked: readonly string[];
  onChange(marked: string[]): void;
};

/** Treatments to follow through every chart: the keyboard's way to what a click in a chart does. */
export function MarkBar({ model, marked, onChange }: MarkBarProps): ReactElement {
  return (
    <fieldset className={styles.marks}>
      <legend className="visually-hidden">Follow treatments through every chart</legend>
      {model.shown.map((entry) => (
        <button
          type="button"
          key={entry.id}
          className={styles.markChip}
          aria-pressed={marked.includes(entry.id)}
          onClick={() => onChange(toggled(marked, entry.id))}
        >
          <TreatmentMark index={model.identity(entry).index} variant="dot" />
          {model.nameOf(entry)}
        </button>
      ))}
      {marked.length > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => onChange([])}>
          Follow none
        </Button>
      )}
    </fieldset>
  );
}
