import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { Verdict } from '@mqttlab/shared/domain/runs/verdict';
import type { ReactElement } from 'react';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { STATUS_KINDS, type StatusKind } from '../../../ui/status.tsx';
import styles from './verdicts-panel.module.css';

const kinds: Readonly<Record<Verdict['status'], StatusKind>> = {
  passed: 'passed',
  failed: 'flagged',
  'not applicable': 'notApplicable',
};

/** Every check of the Run's validity with the figures it was judged by; failed ones first. */
export function VerdictsPanel({ run }: { run: RunDetail }): ReactElement {
  const failed = run.verdicts.filter((verdict) => verdict.status === 'failed');
  const others = run.verdicts.filter((verdict) => verdict.status !== 'failed');
  return (
    <Panel title="Verdicts" subtitle={describeVerdicts(run.verdicts)} flush>
      {run.verdicts.length === 0 ? (
        <EmptyState sentence="A run is judged once every device has reported." />
      ) : (
        <ul className={styles.list}>
          {[...failed, ...others].map((verdict) => (
            <VerdictItem key={verdict.id} verdict={verdict} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function VerdictItem({ verdict }: { verdict: Verdict }): ReactElement {
  const { tone, icon: VerdictIcon, word } = STATUS_KINDS[kinds[verdict.status]];
  return (
    <li data-tone={tone}>
      <VerdictIcon size={16} stroke={2} aria-label={verdict.status === 'failed' ? 'Failed' : word} />
      <b>{verdict.label}</b>
      <span>{verdict.evidence}</span>
    </li>
  );
}

/** "1 failed, 4 passed, 1 does not apply" */
export function describeVerdicts(verdicts: readonly Verdict[]): string {
  const count = (status: Verdict['status']) => verdicts.filter((verdict) => verdict.status === status).length;
  const failed = count('failed');
  const idle = count('not applicable');
  return [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(verdicts.length > 0 ? [`${count('passed')} passed`] : []),
    ...(idle > 0 ? [`${idle} ${idle === 1 ? 'does' : 'do'} not apply`] : []),
  ].join(', ');
}
