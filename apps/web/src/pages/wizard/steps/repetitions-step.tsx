import { Switch } from '@mantine/core';
import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { meaningOf, thresholdExitCode } from '@mqttlab/shared/domain/exit-codes';
import type { Stopping, Threshold } from '@mqttlab/shared/domain/plans/experiment-draft';
import { IconDice5, IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { ActionButton } from '../../../ui/input/action-button.tsx';
import { IconButton } from '../../../ui/input/buttons.tsx';
import { NumberField } from '../../../ui/input/number-field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { MetricField } from '../../reference/metric-field.tsx';
import { issueOfField, issuesOfStep } from '../model/steps.ts';
import { useWizard } from '../model/wizard-context.tsx';
import { OrderPreview } from './order-preview.tsx';
import styles from './repetitions-step.module.css';
import { IssueList, StepHead } from './step-frame.tsx';
import thresholdFieldsStyles from './threshold-fields.module.css';

/** Fields that show their issues themselves. */
const own = /^(repetitions|seed|retries|response|stopping\.\w+|thresholds\[\d+\]\.(metric|atMost|atLeast))$/;

export function RepetitionsStep(): ReactElement {
  const { draft, edit, planning } = useWizard();
  const { issues } = planning;
  const problem = (field: string) => issueOfField(issues, field);
  const others = issuesOfStep(issues, 'repetitions').filter(({ field }) => !own.test(field));
  return (
    <>
      <StepHead title="Repetitions and order" lead="Each repetition runs every treatment once." />
      <IssueList issues={others} />
      <Panel padded>
        <div className={styles.fields}>
          <NumberField
            label={draft.stopping ? 'Maximum repetitions' : 'Repetitions'}
            hint="Runs of each treatment. The sample size of a comparison is the number of runs, not of messages."
            min={1}
            value={draft.repetitions}
            problem={problem('repetitions')}
            onChange={(repetitions) => edit({ repetitions })}
          />
          <NumberField
            label="Retries"
            hint="For each failed trial. A retry is a separate run; nothing is overwritten."
            min={0}
            value={draft.retries}
            problem={problem('retries')}
            onChange={(retries) => edit({ retries })}
          />
          <MetricField
            label="Response"
            hasHelp
            problem={problem('response')}
            value={draft.response}
            onChange={(response) => edit({ response })}
          />
        </div>
        <StoppingFields />
      </Panel>
      <div className={styles.gap} />
      <Panel padded>
        <div className={styles.order}>
          <div className={styles.choice}>
            <span className={styles.label}>Order</span>
            <SegmentedSwitch
              label="Order"
              value={draft.order}
              options={[
                { value: 'random in block', label: 'Random in block' },
                { value: 'as listed', label: 'As listed' },
              ]}
              onChange={(order) => edit({ order })}
            />
            <span className="second">
              {draft.order === 'random in block'
                ? 'Drift over time affects all treatments equally.'
                : 'Only for debugging: drift can look like an effect of the treatment.'}
            </span>
          </div>
          <div className={styles.seed}>
            <NumberField
              label="Seed"
              hint="The same seed gives the same order on every machine."
              min={0}
              value={draft.seed}
              problem={problem('seed')}
              onChange={(seed) => edit({ seed })}
            />
            <IconButton
              bordered
              icon={IconDice5}
              label="New seed"
              onClick={() => edit({ seed: makeSeed() })}
            />
          </div>
        </div>
        <OrderPreview />
      </Panel>
      <div className={styles.gap} />
      <ThresholdFields />
    </>
  );
}

/** Returns a random unsigned 32-bit number. */
function makeSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

/** The published rule starts at five repetitions; the maximum limits the duration. */
const usual = { targetPercent: 5, atLeast: 5 } as const;
const usualMost = 20;

/** Settings for early stopping when the intervals are narrow enough. */
function StoppingFields(): ReactElement {
  const { draft, edit, planning } = useWizard();
  const { stopping } = draft;
  const change = (part: Partial<Stopping>) => stopping && edit({ stopping: { ...stopping, ...part } });
  const problem = (field: string) => issueOfField(planning.issues, `stopping.${field}`);
  return (
    <div className={styles.stopping}>
      <Switch
        label="Stop early when the intervals are narrow enough"
        checked={stopping !== null}
        onChange={(event) =>
          edit(
            event.currentTarget.checked
              ? {
                  stopping: { ...usual, metric: draft.response },
                  repetitions: Math.max(draft.repetitions, usualMost),
                }
              : { stopping: null },
          )
        }
      />
      {stopping && (
        <div className={styles.fields}>
          <MetricField
            label="Metric to watch"
            hasHelp
            problem={problem('metric')}
            value={stopping.metric}
            onChange={(metric) => change({ metric })}
          />
          <NumberField
            label="Half width of the 95 % interval"
            unit="%"
            hint="Relative to the mean of every treatment."
            min={0}
            step={0.5}
            value={stopping.targetPercent}
            problem={problem('targetPercent')}
            onChange={(targetPercent) => change({ targetPercent })}
          />
          <NumberField
            label="Minimum repetitions"
            unit="repetitions"
            hint="Stopping earlier would make the intervals too narrow."
            min={5}
            value={stopping.atLeast}
            problem={problem('atLeast')}
            onChange={(atLeast) => change({ atLeast })}
          />
        </div>
      )}
    </div>
  );
}

const maxThresholds = 20;
const usualPercent = 110;

type Side = 'atMost' | 'atLeast';

/** Limits for the result, for continuous integration and other requirements. */
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
        <p className="second">None. A threshold holds if the whole 95 % interval is within its limit.</p>
      ) : (
        <ol className={thresholdFieldsStyles.list}>
          {thresholds.map((threshold, index) => (
            <ThresholdRow
              // biome-ignore lint/suspicious/noArrayIndexKey: thresholds have no other identity than their position
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
    <li className={thresholdFieldsStyles.row}>
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
        label="Type of limit"
        value={threshold.of}
        options={[
          { value: 'baseline', label: '% of baseline' },
          { value: 'value', label: 'Absolute' },
        ]}
        onChange={(of) => onChange({ ...threshold, of })}
      />
      <IconButton icon={IconTrash} label={`Remove threshold ${index + 1}`} onClick={onRemove} />
      {warnings.map(({ reason, remedy }) => (
        <p key={reason} className={thresholdFieldsStyles.where}>
          {reason}. {remedy}
        </p>
      ))}
      {threshold.where && <p className={thresholdFieldsStyles.where}>{describeWhere(threshold.where)}</p>}
    </li>
  );
}

function describeWhere(where: NonNullable<Threshold['where']>): string {
  const parts = Object.entries(where).map(
    ([factor, levels]) => `${findFactor(factor)?.label ?? factor} ${levels.join(' or ')}`,
  );
  return `Only for ${parts.join(' and ')}.`;
}
