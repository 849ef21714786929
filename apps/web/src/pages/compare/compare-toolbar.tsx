import { Button, Drawer, Menu } from '@mantine/core';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment, Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { IconAdjustmentsHorizontal, IconCheck, IconChevronDown } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { IncludeFlagged } from '../../ui/input/include-flagged.tsx';
import pick from '../../ui/input/pick.module.css';
import { groupMetrics, Late, PickMenu, SearchPick } from '../../ui/input/pick.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { TREATMENT_STYLES, TreatmentMark } from '../../ui/treatment-mark.tsx';
import { levelKey, toggled, withoutLevels } from './arrangement.ts';
import styles from './compare.module.css';
import type { CompareState } from './compare-state.ts';
import type { ComparisonViewModel } from './comparison-view-model.ts';

/** Response, treatments, baseline, panels, colours and scale. On phones, all but the first two are in a drawer. */
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
        words={model.baselineName}
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
      {isPhone && <DrawingChoices comparison={comparison} state={state} onChange={onChange} />}
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

/** Filters treatments by level or individually. At least one treatment remains. */
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
            {isFiltered ? `${model.shown.length} of ${treatments.length}` : treatments.length} treatments
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
        <Late
          items={kept}
          render={(entry) => (
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
          )}
        />
      </Menu.Dropdown>
    </Menu>
  );
}

type CheckItemProps = { isChecked: boolean; onToggle(): void; children: ReactNode };

const checkIcon = <IconCheck size={14} stroke={2.4} aria-hidden />;

function CheckItem({ isChecked, onToggle, children }: CheckItemProps): ReactElement {
  return (
    <Menu.CheckboxItem checked={isChecked} onChange={onToggle} checkIcon={checkIcon}>
      {children}
    </Menu.CheckboxItem>
  );
}

type AxesMenuProps = Pick<TreatmentMenuProps, 'state' | 'onChange'>;

const scaleWords: Readonly<Record<CompareState['scale'], { short: string; long: string }>> = {
  auto: { short: 'automatic', long: 'Automatic: logarithmic if ratios are compared' },
  linear: { short: 'linear', long: 'Linear axes' },
  log: { short: 'logarithmic', long: 'Logarithmic axes' },
};
const scales = Object.keys(scaleWords) as CompareState['scale'][];

/** Scales and units of the charts. */
function AxesMenu({ state, onChange }: AxesMenuProps): ReactElement {
  const isPercent = state.unit === 'baseline';
  const words = `${scaleWords[state.scale].short}${isPercent ? ', % of baseline' : ''}`;
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <button type="button" className={pick.pick}>
          <span className={pick.label}>Axes</span>
          <span className={pick.value}>{words}</span>
          <IconChevronDown size={14} stroke={2.2} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {scales.map((scale) => (
          <Menu.RadioItem
            key={scale}
            value={scale}
            checked={state.scale === scale}
            onChange={() => onChange({ scale })}
            checkIcon={checkIcon}
          >
            {scaleWords[scale].long}
          </Menu.RadioItem>
        ))}
        <Menu.Divider />
        <CheckItem
          isChecked={isPercent}
          onToggle={() => onChange({ unit: isPercent ? 'absolute' : 'baseline', brush: null })}
        >
          % of baseline
        </CheckItem>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Which runs the charts include, and their axes. */
function DrawingChoices({
  comparison: { flaggedRuns },
  state,
  onChange,
}: Omit<TreatmentMenuProps, 'model'>): ReactElement {
  return (
    <div className={styles.choices}>
      <IncludeFlagged
        flaggedRuns={flaggedRuns}
        checked={state.flagged}
        onChange={(flagged) => onChange({ flagged })}
      />
      <AxesMenu state={state} onChange={onChange} />
    </div>
  );
}

/** The colours with the drawing options next to them, because the row above contains names of any length. */
export function KeyRow({ comparison, model, state, onChange }: TreatmentMenuProps): ReactElement {
  const isPhone = useIsPhone();
  return (
    <div className={styles.keys}>
      <ColourKey model={model} marked={state.marked} onChange={(marked) => onChange({ marked })} />
      {!isPhone && <DrawingChoices comparison={comparison} state={state} onChange={onChange} />}
    </div>
  );
}

type ColourKeyProps = {
  model: ComparisonViewModel;
  marked: readonly string[];
  onChange(marked: string[]): void;
};

/** Legend of colours. A click highlights a colour in every chart, like a click on a treatment in a chart. */
function ColourKey({ model, marked, onChange }: ColourKeyProps): ReactElement {
  const colours = [...Map.groupBy(model.shown, model.colourName)];
  const isMarked = (entries: readonly ComparedTreatment[]) => entries.every(({ id }) => marked.includes(id));
  const toggle = (entries: readonly ComparedTreatment[]) => {
    const ids = entries.map(({ id }) => id);
    const rest = marked.filter((id) => !ids.includes(id));
    onChange(isMarked(entries) ? rest : [...rest, ...ids]);
  };
  const markOf = ([first]: readonly ComparedTreatment[]) => (first ? model.identity(first).index : 1);
  return (
    <fieldset className={styles.marks}>
      <legend className="visually-hidden">Highlight treatments in every chart</legend>
      {colours.length > TREATMENT_STYLES ? (
        <Menu position="bottom-start" closeOnItemClick={false}>
          <Menu.Target>
            <button type="button" className={styles.markChip}>
              Follow
              <IconChevronDown size={14} stroke={2.2} aria-hidden />
            </button>
          </Menu.Target>
          <Menu.Dropdown className={pick.dropdown ?? ''}>
            <Late
              items={colours}
              render={([name, entries]) => (
                <CheckItem key={name} isChecked={isMarked(entries)} onToggle={() => toggle(entries)}>
                  {name}
                </CheckItem>
              )}
            />
          </Menu.Dropdown>
        </Menu>
      ) : (
        colours.map(([name, entries]) => (
          <button
            type="button"
            key={name}
            className={styles.markChip}
            aria-pressed={isMarked(entries)}
            onClick={() => toggle(entries)}
          >
            <TreatmentMark index={markOf(entries)} />
            {name}
          </button>
        ))
      )}
      {marked.length > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => onChange([])}>
          Highlight none
        </Button>
      )}
    </fieldset>
  );
}
