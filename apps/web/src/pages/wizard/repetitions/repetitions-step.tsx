import { IconDice5 } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Field } from '../../../ui/input/field.tsx';
import { IconButton } from '../../../ui/input/icon-button.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { MetricHelp } from '../../reference/metric-help.tsx';
import { IssueList } from '../frame/issue-list.tsx';
import { StepHead } from '../frame/step-head.tsx';
import { NumberField } from '../number-field.tsx';
import { issueOfField, issuesOfStep } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { MetricSelect } from './metric-select.tsx';
import { OrderPreview } from './order-preview.tsx';
import styles from './repetitions-step.module.css';
import { StoppingFields } from './stopping-fields.tsx';
import { ThresholdFields } from './threshold-fields.tsx';

const own = [
  'repetitions',
  'seed',
  'retries',
  'response',
  'stopping.metric',
  'stopping.targetPercent',
  'stopping.atLeast',
];

export function RepetitionsStep(): ReactElement {
  const { draft, edit, planning } = useWizard();
  const { issues } = planning;
  const problem = (field: string) => issueOfField(issues, field);
  const others = issuesOfStep(issues, 'repetitions').filter(
    ({ field }) => !own.includes(field) && !/^thresholds\[\d+\]\.(metric|atMost|atLeast)$/.test(field),
  );
  return (
    <>
      <StepHead
        title="Repetitions and order"
        lead="Each repetition runs every treatment once, in a fresh order."
      />
      <IssueList issues={others} />
      <Panel padded>
        <div className={styles.fields}>
          <NumberField
            label={draft.stopping ? 'Repetitions at most' : 'Repetitions'}
            hint="Runs of each treatment. They, not messages, are what a comparison counts."
            min={1}
            value={draft.repetitions}
            problem={problem('repetitions')}
            onChange={(repetitions) => edit({ repetitions })}
          />
          <NumberField
            label="Retries"
            hint="Of a trial that failed. A retry is a run of its own; nothing is overwritten."
            min={0}
            value={draft.retries}
            problem={problem('retries')}
            onChange={(retries) => edit({ retries })}
          />
          <ResponseField />
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
                ? 'What drifts in the course of the day then falls on all treatments alike.'
                : 'Only for debugging: what drifts is taken for an effect of the treatment.'}
            </span>
          </div>
          <div className={styles.seed}>
            <NumberField
              label="Seed"
              hint="Same seed, same order, on every machine."
              min={0}
              value={draft.seed}
              problem={problem('seed')}
              onChange={(seed) => edit({ seed })}
            />
            <IconButton
              bordered
              icon={IconDice5}
              label="Another seed"
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

function ResponseField(): ReactElement {
  const { draft, edit, planning } = useWizard();
  return (
    <Field
      label="Response"
      hint={<MetricHelp id={draft.response} />}
      problem={issueOfField(planning.issues, 'response')}
    >
      {(control) => (
        <MetricSelect control={control} value={draft.response} onChange={(response) => edit({ response })} />
      )}
    </Field>
  );
}

/** 32 bits, unsigned. */
function makeSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
