import { Switch } from '@mantine/core';
import type { Stopping } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ReactElement } from 'react';
import { Field } from '../../../ui/input/field.tsx';
import { MetricHelp } from '../../reference/metric-help.tsx';
import { NumberField } from '../number-field.tsx';
import { issueOfField } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { MetricSelect } from './metric-select.tsx';
import styles from './repetitions-step.module.css';

/** The published rule looks from five repetitions on; the cap bounds the time. */
const usual = { targetPercent: 5, atLeast: 5 } as const;
const usualMost = 20;

/** Repetitions that end by themselves, once the intervals are narrow enough. */
export function StoppingFields(): ReactElement {
  const { draft, edit, planning } = useWizard();
  const { stopping } = draft;
  const change = (part: Partial<Stopping>) => stopping && edit({ stopping: { ...stopping, ...part } });
  const problem = (field: string) => issueOfField(planning.issues, `stopping.${field}`);
  return (
    <div className={styles.stopping}>
      <Switch
        label="Stop early, once the intervals are narrow enough"
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
          <Field
            label="Metric that is watched"
            hint={<MetricHelp id={stopping.metric} />}
            problem={problem('metric')}
          >
            {(control) => (
              <MetricSelect
                control={control}
                value={stopping.metric}
                onChange={(metric) => change({ metric })}
              />
            )}
          </Field>
          <NumberField
            label="Half width of the 95 % interval"
            unit="%"
            hint="Of the mean, for every treatment."
            min={0}
            step={0.5}
            value={stopping.targetPercent}
            problem={problem('targetPercent')}
            onChange={(targetPercent) => change({ targetPercent })}
          />
          <NumberField
            label="At least"
            unit="repetitions"
            hint="Looking earlier would make the intervals too short."
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
