import type { Issue } from '@mqttlab/shared/domain/issue';
import type { ReactElement } from 'react';
import { FieldProblemLine } from '../../../ui/input/field.tsx';
import { capitalise } from '../steps.ts';
import styles from './issue-list.module.css';

/** What is wrong and how to mend it; nothing where nothing is. */
export function IssueList({ issues }: { issues: readonly Issue[] }): ReactElement | null {
  if (issues.length === 0) return null;
  return (
    <div className={styles.issues} role="status">
      {issues.map((issue) => (
        <FieldProblemLine
          key={`${issue.field}:${issue.reason}`}
          problem={{ what: `${capitalise(issue.reason)}.`, remedy: issue.remedy }}
        />
      ))}
    </div>
  );
}
