import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { FieldProblemLine } from '../../../ui/input/field.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { StepHead } from '../frame/step-head.tsx';
import { capitalise, stepLabel, stepOfIssue } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { ExcludedTable } from './excluded-table.tsx';
import { reviewLines } from './review-lines.ts';
import styles from './review-step.module.css';
import { TreatmentTable } from './treatment-table.tsx';

/** The whole plan in sentences and tables; what still has to be mended comes first, with the way there. */
export function ReviewStep(): ReactElement {
  const { draft, testbed, planning, forecast, preflight, experiment } = useWizard();
  const issues = [...planning.issues, ...forecast.serverIssues];
  const path = (step: string) => `/experiments/${experiment.id}/edit/${step}`;
  return (
    <>
      <StepHead
        title="Review"
        lead={
          issues.length === 0
            ? 'Once started, the plan no longer changes; a clone of it can.'
            : 'A few things to mend before it can start.'
        }
      />
      {issues.length > 0 && (
        <ul className={styles.issues} aria-label="To mend before the start">
          {issues.map((issue) => (
            <li key={`${issue.field}:${issue.reason}`}>
              <FieldProblemLine problem={{ what: `${capitalise(issue.reason)}.`, remedy: issue.remedy }} />
              <Link className="link" to={path(stepOfIssue(issue))}>
                {stepLabel(stepOfIssue(issue))}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Panel padded>
        <dl className={styles.lines}>
          {reviewLines({ draft, testbed, planning, forecast, preflight }).map(({ step, text }) => (
            <div key={step}>
              <dt>
                <Link className={styles.step} to={path(step)}>
                  {stepLabel(step)}
                </Link>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {planning.plan && (
        <>
          <div className={styles.gap} />
          <TreatmentTable plan={planning.plan} />
          <ExcludedTable excluded={planning.plan.excluded} />
        </>
      )}
    </>
  );
}
