import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { meaningOf, thresholdExitCode } from '@mqttlab/shared/domain/exit-codes';
import type { Threshold } from '@mqttlab/shared/domain/plans/experiment-draft';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { ActionButton, IconButton } from '../../../ui/input/buttons.tsx';
import { NumberField } from '../../../ui/input/number-field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { MetricField } from '../../reference/metric-field.tsx';
import { issueOfField } from '../model/steps.ts';
import { useWizard } from '../model/wizard-context.tsx';
import styles from './threshold-fields.module.css';

const maxThresholds = 20;
const usualPercent = 110;

type Side = 'atMost' | 'atLeast';

/** Limits that the result is held against: for continuous integration, and for anybody with a requirement. */
export function ThresholdFields(): ReactElement {
  const { draft, edit } = useWizard();
  const thresholds = draft.thresholds ?? [];
  const change = (next: Threshold[]) => edit({ thresholds: next });
  return (
    <Panel
      padded
      title="Thresholds"
      subtitle={`Checked when all runs are done; the command line exits with ${thresholdExitCode} if ${meaningOf(thresholdExitCode)}.`}
      actions={
        <ActionButton
          small
          icon={IconPlus}
          disabled={thresholds.length >= maxThresholds}
          onClick={() =>
            change([...thresholds, { metric: draft.response, atMost: usualPercent, of: 'baseline' }])
          }
        >
          Add a threshold
        </ActionButton>
      }
    >
      {thresholds.length === 0 ? (
        <p className="second">None. A threshold holds where the whole 95 % interval keeps its limit.</p>
      ) : (
        <ol className={styles.list}>
          {thresholds.map((threshold, index) => (
            <ThresholdRow
              // biome-ignore lint/suspicious/noArrayIndexKey: nothing tells two thresholds apart but their place
              key={`threshold ${index + 1}`}
              index={index}
              threshold={threshold}
              onChange={(next) => change(thresholds.with(index, next))}
              onRemove={() => change(thresholds.toSpliced(index, 1))}
            />
          ))}
        </ol>
      )}
    </Panel>
  );
}

type ThresholdRowProps = {
  index: number;
  threshold: Threshold;
  onChange: (next: Threshold) => void;
  onRemove: () => void;
};

function ThresholdRow({ index, threshold, onChange, onRemove }: ThresholdRowProps): ReactElement {
  const { planning, forecast } = useWizard();
  const warnings = forecast.warnings.filter(({ field }) => field === `thresholds[${index}]`);
  const problem = (field: string) => issueOfField(planning.issues, `thresholds[${index}].${field}`);
  const side: Side = threshold.atMost === undefined ? 'atLeast' : 'atMost';
  const limit = threshold[side] ?? 0;
  const unit = threshold.of === 'baseline' ? '%' : (findMetric(threshold.metric)?.unit ?? '');
  const withLimit = (side: Side, value: number): Threshold => {
    const { atMost: _most, atLeast: _least, ...rest } = threshold;
    return { ...rest, [side]: value };
  };
  return (
    <li className={styles.row}>
      <MetricField
        label="Metric"
        problem={problem('metric')}
        value={threshold.metric}
        onChange={(metric) => onChange({ ...threshold, metric })}
      />
      <SegmentedSwitch
        label="Side of the limit"
        value={side}
        options={[
          { value: 'atMost', label: 'at most' },
          { value: 'atLeast', label: 'at least' },
        ]}
        onChange={(next) => onChange(withLimit(next, limit))}
      />
      <NumberField
        label="Limit"
        unit={unit}
        min={0}
        value={limit}
        problem={problem(side) ?? problem('atMost')}
        onChange={(value) => onChange(withLimit(side, value))}
      />
      <SegmentedSwitch
        label="What the limit is"
        value={threshold.of}
        options={[
          { value: 'baseline', label: '% of baseline' },
          { value: 'value', label: 'Absolute' },
        ]}
        onChange={(of) => onChange({ ...threshold, of })}
      />
      <IconButton icon={IconTrash} label={`Remove threshold ${index + 1}`} onClick={onRemove} />
      {warnings.map(({ reason, remedy }) => (
        <p key={reason} className={styles.where}>
          {reason}. {remedy}
        </p>
      ))}
      {threshold.where && <p className={styles.where}>{describeWhere(threshold.where)}</p>}
    </li>
  );
}

function describeWhere(where: NonNullable<Threshold['where']>): string {
  const parts = Object.entries(where).map(
    ([factor, levels]) => `${findFactor(factor)?.label ?? factor} ${levels.join(' or ')}`,
  );
  return `Only where ${parts.join(' and ')}.`;
}
