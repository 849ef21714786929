import { Button, Drawer, Switch } from '@mantine/core';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { groupMetrics, PickMenu, SearchPick } from '../../ui/input/pick.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import styles from './panels/compare.module.css';
import { TreatmentMenu, type TreatmentMenuProps } from './treatment-menu.tsx';

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
          label={`Take in ${comparison.flaggedRuns} flagged ${comparison.flaggedRuns === 1 ? 'run' : 'runs'}`}
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
