import type { Issue } from '@mqttlab/shared/domain/issue';
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { FieldProblemLine } from '../../../ui/input/field.tsx';
import { capitalise } from '../model/steps.ts';
import styles from './step-frame.module.css';

type StepHeadProps = {
  title: string;
  /** One sentence about the purpose of the step. */
  lead: string;
  actions?: ReactNode;
};

/** Receives the focus when the step opens, for keyboards and screen readers. */
export function StepHead({ title, lead, actions }: StepHeadProps): ReactElement {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement?.tagName === 'A') {
      head.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <header className={styles.head}>
      <div className={styles.words}>
        <h2 ref={head} tabIndex={-1}>
          {title}
        </h2>
        <p>{lead}</p>
      </div>
      {actions}
    </header>
  );
}

/** Issues of a field with remedies; renders nothing if there are none. */
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
