import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import styles from './step-head.module.css';

type StepHeadProps = {
  title: string;
  /** One sentence: what this step is for. */
  lead: string;
  actions?: ReactNode;
};

/** Takes the focus when the step opens, so that keyboard and screen reader begin here. */
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
