import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { problemOf } from '../../api/describe-error.ts';
import styles from './import-problem.module.css';

/** Mending the first ones often mends the rest. */
const maxShown = 6;

/** Why a plan was not taken, field by field. */
export function ImportProblem({ error }: { error: unknown }): ReactElement {
  const { detail, remedy, issues } = problemOf(error);
  return (
    <div className={styles.problem} role="alert">
      <p className={styles.head}>
        <IconAlertCircle size={16} stroke={2} aria-hidden />
        Not imported. {detail}
      </p>
      {issues.length === 0 ? (
        <p>{remedy}</p>
      ) : (
        <ul className={styles.issues}>
          {issues.slice(0, maxShown).map((issue) => (
            <li key={`${issue.field}:${issue.reason}`}>
              <code className="mono">{issue.field || 'the whole file'}</code> {issue.reason}. {issue.remedy}
            </li>
          ))}
          {issues.length > maxShown && <li>And {issues.length - maxShown} more.</li>}
        </ul>
      )}
    </div>
  );
}
