import { formatCount, NO_VALUE } from '@mqttlab/shared/format/number';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Fragment, type ReactElement } from 'react';
import { Link } from 'react-router';
import { plural } from '../step-summaries.ts';
import { stepOfIssue } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import styles from './plan-equation.module.css';
import { multipliersOf } from './plan-so-far.ts';

/** treatments × repetitions = runs, and what the treatments are made of. */
export function PlanEquation(): ReactElement {
  const { planning, experiment } = useWizard();
  const { treatments, repetitions, runs, excluded, combinations, cells, issues } = planning;
  const parts = multipliersOf(planning);
  const [first] = issues;
  return (
    <>
      <div className={styles.equation} role="status">
        <Term label={treatments === 1 ? 'treatment' : 'treatments'} value={treatments} />
        <span className={styles.sign} aria-hidden>
          ×
        </span>
        <Term label={repetitions === 1 ? 'repetition' : 'repetitions'} value={repetitions} />
        <span className={styles.sign} aria-hidden>
          =
        </span>
        <Term label={runs === 1 ? 'run' : 'runs'} value={runs} />
      </div>
      <p className={styles.words}>
        {parts.length > 1 && (
          <>
            {parts.map(({ label, count }, i) => (
              <Fragment key={label}>
                {i > 0 && ' × '}
                {label} {formatCount(count)}
              </Fragment>
            ))}
            {'. '}
          </>
        )}
        {excluded > 0 &&
          `${plural(excluded, 'impossible combination')} ${excluded === 1 ? 'is' : 'are'} struck out and will be named in the report.`}
        {cells.length === 0 && `${formatCount(combinations)} combinations are too many to list.`}
        {parts.length <= 1 && excluded === 0 && cells.length > 0 && varyHint(treatments)}
      </p>
      {first && (
        <Link className={styles.issue} to={`/experiments/${experiment.id}/edit/${stepOfIssue(first)}`}>
          <IconAlertTriangle size={14} stroke={2} aria-hidden />
          <span>
            {issues.length === 1 ? 'One thing' : `${issues.length} things`} to mend before it can start
          </span>
        </Link>
      )}
    </>
  );
}

function varyHint(treatments: number): string {
  return treatments === 1
    ? 'Nothing varies yet: choose a second level of some factor, and there is something to compare.'
    : 'Every treatment runs once in each repetition.';
}

function Term({ label, value }: { label: string; value: number }): ReactElement {
  return (
    <div>
      <b>{Number.isFinite(value) ? formatCount(value) : NO_VALUE}</b>
      <span>{label}</span>
    </div>
  );
}
