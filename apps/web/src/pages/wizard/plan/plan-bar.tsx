import { IconChevronUp } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { formatDuration } from '../../../ui/format/duration.ts';
import { plural } from '../step-summaries.ts';
import { useWizard } from '../wizard-context.tsx';
import styles from './plan-bar.module.css';
import { PlanPanel } from './plan-panel.tsx';

/** The plan so far where there is no room beside the step: one line that opens. */
export function PlanBar(): ReactElement {
  const { planning, forecast } = useWizard();
  const { estimate } = forecast;
  return (
    <details className={styles.bar}>
      <summary>
        <span className={styles.words}>
          <b>{plural(planning.runs, 'run')}</b>
          {estimate && <span>{formatDuration(estimate.durationMs)}</span>}
          {planning.issues.length > 0 && (
            <span className={styles.issues}>{plural(planning.issues.length, 'thing')} to mend</span>
          )}
        </span>
        <span className="second">Plan so far</span>
        <IconChevronUp size={16} stroke={2} aria-hidden />
      </summary>
      <div className={styles.content}>
        <PlanPanel />
      </div>
    </details>
  );
}
