import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { experimentCode, experimentTitle } from '../../experiments/describe-experiment.ts';
import { plural } from '../step-summaries.ts';
import { type StepId, steps } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { PlanFiles } from './plan-files.tsx';
import { SaveStatus } from './save-status.tsx';
import styles from './step-rail.module.css';
import { useStepStates } from './use-step-states.ts';

/** Where one is, what was decided in each step, and what still has to be mended. */
export function StepRail({ step }: { step: StepId }): ReactElement {
  const { experiment, draft } = useWizard();
  const states = useStepStates(step);
  return (
    <nav className={styles.rail} aria-label="Steps of the wizard">
      <div className={styles.top}>
        <p className="second">
          <span className="mono">{experimentCode(experiment.id)}</span>, draft
        </p>
        <p className={styles.name}>{experimentTitle(draft.name)}</p>
        <SaveStatus />
      </div>
      <ol className={styles.steps}>
        {steps.map(({ id, label }, index) => {
          const { mark, summary, issues } = states[id];
          return (
            <li key={id}>
              <Link
                to={`/experiments/${experiment.id}/edit/${id}`}
                className={styles.step}
                aria-current={id === step ? 'step' : undefined}
                data-mark={mark}
              >
                <span className={styles.number}>
                  {mark === 'done' && <IconCheck size={12} stroke={2.5} aria-label="done" />}
                  {mark === 'mend' && <IconAlertTriangle size={12} stroke={2.5} aria-hidden />}
                  {(mark === 'now' || mark === 'later') && index + 1}
                </span>
                <span className={styles.words}>
                  <b>{label}</b>
                  <span className={styles.summary}>
                    {issues > 0 && mark !== 'later' ? `${plural(issues, 'thing')} to mend` : summary}
                  </span>
                </span>
              </Link>
            </li>
          );
        })}
      </ol>
      <PlanFiles />
    </nav>
  );
}
