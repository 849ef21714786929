import { NativeSelect } from '@mantine/core';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { type StepId, steps } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { SaveStatus } from './save-status.tsx';
import styles from './step-select.module.css';
import { useStepStates } from './use-step-states.ts';

/** The rail on phones: one list, and whether everything is saved. */
export function StepSelect({ step }: { step: StepId }): ReactElement {
  const { experiment } = useWizard();
  const states = useStepStates(step);
  const navigate = useNavigate();
  return (
    <div className={styles.bar}>
      <NativeSelect
        aria-label="Step of the wizard"
        value={step}
        data={steps.map(({ id, label }, index) => ({
          value: id,
          label: `${index + 1} of ${steps.length}: ${label}${states[id].issues > 0 ? ', to mend' : ''}`,
        }))}
        onChange={(event) => navigate(`/experiments/${experiment.id}/edit/${event.currentTarget.value}`)}
      />
      <SaveStatus />
    </div>
  );
}
