import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import styles from './states.module.css';

type EmptyStateProps = {
  /** One sentence that states what will be shown here and what to do first. */
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

type ErrorStateProps = {
  /** The event, in one sentence. */
  happened: ReactNode;
  /** A sentence about lost data, such as "Nothing was lost." */
  lost: ReactNode;
  /** The remedy. */
  nextStep: ReactNode;
  /** Button for the next step. */
  action?: ReactNode;
};

/** An error: the event, the lost data and the next step. */
export function ErrorState({ happened, lost, nextStep, action }: ErrorStateProps): ReactElement {
  return (
    <div className={styles.error} role="alert">
      <IconAlertCircle size={18} stroke={1.75} aria-hidden />
      <div>
        <p className={styles.happened}>{happened}</p>
        <p>{lost}</p>
        <p>{nextStep}</p>
        {action && <div className={styles.action}>{action}</div>}
      </div>
    </div>
  );
}
