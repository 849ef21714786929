import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { ReactElement } from 'react';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { describeWaiting } from '../experiments/describe-waiting.ts';
import styles from './waiting-notice.module.css';

type WaitingNoticeProps = { experiment: ExperimentSummary; testbed: TestbedStatus | undefined };

/** Why no run goes on, and what to do about it. Nothing while one does. */
export function WaitingNotice({ experiment, testbed }: WaitingNoticeProps): ReactElement | null {
  const waiting = describeWaiting(experiment, testbed);
  if (!waiting) return null;
  return (
    <Panel>
      <div className={styles.notice} role="status">
        <StatusLine kind="queued">Waiting</StatusLine>
        <p>
          {waiting.reason} <span className="second">{waiting.remedy}</span>
        </p>
      </div>
    </Panel>
  );
}
