import type { ReactElement, ReactNode } from 'react';
import styles from './empty-state.module.css';

export type EmptyStateProps = {
  /** One sentence that says what belongs here and what to do first. */
  sentence: ReactNode;
  /** One button. */
  action?: ReactNode;
  icon?: ReactNode;
};

export function EmptyState({ sentence, action, icon }: EmptyStateProps): ReactElement {
  return (
    <div className={styles.empty}>
      {icon && (
        <span className={styles.icon} aria-hidden>
          {icon}
        </span>
      )}
      <p>{sentence}</p>
      {action}
    </div>
  );
}
