import { formatCount, NO_VALUE, plural } from '@mqttlab/shared/format/number';
import { IconAlertTriangle, IconChevronUp } from '@tabler/icons-react';
import { Fragment, type ReactElement } from 'react';
import { Link } from 'react-router';
import { Tag } from '../../../ui/facts.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { multipliersOf } from '../model/plan-forecast.ts';
import { metricLabel, stepOfIssue } from '../model/steps.ts';
import { useWizard } from '../model/wizard-context.tsx';
import styles from './plan-panel.module.css';
import { PlanTimes } from './plan-times.tsx';
import { ResolutionSection } from './resolution-section.tsx';

/** Summary of the draft, always visible. */
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
        <p className={styles.note}>
          Shown first in tables and in the headline. All other metrics are also recorded.
        </p>
      </section>
    </div>
  );
}

/** Shows treatments × repetitions = runs, and how the treatments are composed. */
function PlanEquation(): ReactElement {
  const { planning, experiment } = useWizard();
  const { treatments, repetitions, runs, excluded, combinations, isListable, issues } = planning;
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
          `${plural(excluded, 'impossible combination')} ${excluded === 1 ? 'is' : 'are'} struck out and will be listed in the report.`}
        {!isListable && `${formatCount(combinations)} combinations are too many to list.`}
        {parts.length <= 1 && excluded === 0 && isListable && varyHint(treatments)}
      </p>
      {first && (
        <Link className={styles.issue} to={`/experiments/${experiment.id}/edit/${stepOfIssue(first)}`}>
          <IconAlertTriangle size={14} stroke={2} aria-hidden />
          <span>{issues.length === 1 ? '1 issue' : `${issues.length} issues`} to fix before the start</span>
        </Link>
      )}
    </>
  );
}

function varyHint(treatments: number): string {
  return treatments === 1
    ? 'Nothing varies yet. Choose a second level of any factor to compare.'
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

/** The plan as an expandable line, if there is no room next to the step. */
export function PlanBar(): ReactElement {
  const { planning, forecast } = useWizard();
  const { estimate } = forecast;
  return (
    <details className={styles.bar}>
      <summary>
        <span className={styles.planBarWords}>
          <b>{plural(planning.runs, 'run')}</b>
          {estimate && <span>{formatDuration(estimate.durationMs)}</span>}
          {planning.issues.length > 0 && (
            <span className={styles.issues}>{plural(planning.issues.length, 'thing')} to fix</span>
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
