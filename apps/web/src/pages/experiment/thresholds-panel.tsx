import {
  type JudgedThreshold,
  judgeThresholds,
  type ThresholdOutcome,
} from '@mqttlab/shared/analysis/judge-thresholds';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { formatCount } from '@mqttlab/shared/format/number';
import { inSentence } from '@mqttlab/shared/format/unit';
import { type ReactElement, useMemo } from 'react';
import { Panel } from '../../ui/panel.tsx';
import type { StatusKind } from '../../ui/status.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import styles from './experiment.module.css';

const looks: Readonly<Record<ThresholdOutcome, { kind: StatusKind; word: string }>> = {
  held: { kind: 'passed', word: 'Held' },
  broken: { kind: 'failed', word: 'Broken' },
  'not resolved': { kind: 'warning', word: 'Not resolved' },
  'not measured': { kind: 'warning', word: 'No valid run' },
};

type ThresholdsPanelProps = { plan: Plan; comparison: Comparison };

/** Whether the result keeps the limits of the plan. Nothing where it has none. */
export function ThresholdsPanel({ plan, comparison }: ThresholdsPanelProps): ReactElement | null {
  const judged = useMemo(() => judgeThresholds(plan, comparison), [plan, comparison]);
  if (judged.length === 0) return null;
  const byRule = Map.groupBy(judged, ({ rule }) => rule);
  return (
    <Panel flush title="Thresholds" subtitle={summarise(judged)}>
      {[...byRule].map(([rule, ofRule]) => (
        <section key={rule} className={styles.rule} aria-label={rule}>
          <h3>{rule}</h3>
          <ul>
            {ofRule.map(({ treatment: { id, treatment }, measured, outcome }) => (
              <li key={id}>
                <TreatmentMark index={treatment.mark} />
                <span>{treatment.shortLabel}</span>
                <span className={styles.measured}>{measured}</span>
                <StatusLine kind={looks[outcome].kind}>{looks[outcome].word}</StatusLine>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p className={styles.note}>Held: the whole 95 % interval keeps the limit. Broken: none of it does.</p>
    </Panel>
  );
}

/** "4 held, 1 broken, 1 not resolved" */
function summarise(judged: readonly JudgedThreshold[]): string {
  return (Object.keys(looks) as ThresholdOutcome[])
    .map((outcome) => ({ outcome, count: judged.filter((one) => one.outcome === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => `${formatCount(count)} ${inSentence(looks[outcome].word)}`)
    .join(', ');
}
