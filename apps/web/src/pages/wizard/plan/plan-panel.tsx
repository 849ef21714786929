import type { ReactElement } from 'react';
import { Tag } from '../../../ui/tag.tsx';
import { metricLabel } from '../step-summaries.ts';
import { useWizard } from '../wizard-context.tsx';
import { PlanEquation } from './plan-equation.tsx';
import styles from './plan-panel.module.css';
import { PlanTimes } from './plan-times.tsx';
import { ResolutionSection } from './resolution-section.tsx';

/** What the draft amounts to, always in sight. */
export function PlanPanel(): ReactElement {
  const { draft } = useWizard();
  return (
    <div className={styles.panel}>
      <section>
        <h2 className={styles.title}>Plan so far</h2>
        <PlanEquation />
      </section>
      <section>
        <PlanTimes />
      </section>
      <section>
        <ResolutionSection />
      </section>
      <section>
        <h3 className={styles.head}>Response</h3>
        <Tag>{metricLabel(draft.response)}</Tag>
        <p className={styles.note}>It leads tables and the headline. Every other metric is recorded too.</p>
      </section>
    </div>
  );
}
