import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { type ExperimentDetail, isFinished } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import { type ReactElement, useMemo } from 'react';
import type { LiveLogEntry } from '../../live/live-state.ts';
import { type LogEntry, LogPanel } from '../../live/log-panel.tsx';
import { timeLeftAt } from '../../live/run-durations.ts';
import { Panel } from '../../ui/panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { ExperimentFigures } from './experiment-figures.tsx';
import { ExperimentMain } from './experiment-main.tsx';
import styles from './experiment-view.module.css';
import { FinishedLog } from './finished-log.tsx';
import { FlaggedPanel } from './flagged-panel.tsx';
import { PhoneProgress } from './phone-progress.tsx';
import { TrialsPanel } from './trials-panel.tsx';
import { WaitingNotice } from './waiting-notice.tsx';

/** What only the live channel knows; a shared snapshot has none of it. */
export interface ExperimentLive {
  current: CurrentRun | null;
  log: readonly LiveLogEntry[];
  earlier: readonly RunDetail[];
  testbed: TestbedStatus | undefined;
  /** When `timeLeftMs` was true; server time, Unix ms. */
  toldAt: number | undefined;
}

export type ExperimentViewProps = {
  experiment: ExperimentDetail;
  /** Server time, Unix ms. */
  nowMs: number;
  live?: ExperimentLive;
  /** Of a finished experiment: adds the distribution of its response. */
  comparison?: Comparison | undefined;
  /** For shared links: cells lead nowhere. */
  readOnly?: boolean;
  /** Stable, for nothing that takes it is drawn again without need. */
  onOpenRun?: (runId: number) => void;
};

/** As many log lines as anybody scrolls through. */
const maxLines = 200;

/** The body of an experiment's page, while it runs and afterwards, below its page head. */
export function ExperimentView(props: ExperimentViewProps): ReactElement {
  const { experiment, nowMs, live, comparison, readOnly = false } = props;
  const isPhone = useIsPhone();
  const { plan, status } = experiment;
  const onOpenRun = readOnly ? undefined : props.onOpenRun;
  const lines = useMemo(() => newestFirst(live?.log ?? []), [live?.log]);
  const left = timeLeftAt(experiment, live?.toldAt, nowMs);
  if (!plan) {
    return (
      <Panel>
        <EmptyState sentence="This experiment is a draft: it has no plan and no runs yet." />
      </Panel>
    );
  }
  const log =
    live &&
    (isFinished(status) ? (
      <FinishedLog experimentId={experiment.id} />
    ) : (
      <LogPanel entries={lines} subtitle="newest first" empty="Nothing was said yet." fill />
    ));
  const flagged = <FlaggedPanel experiment={experiment} readOnly={readOnly} />;
  const trials = <TrialsPanel experiment={experiment} plan={plan} nowMs={nowMs} onOpenRun={onOpenRun} />;
  const main = (
    <ExperimentMain experiment={experiment} live={live} comparison={comparison} onOpenRun={onOpenRun} />
  );
  const waiting = live && <WaitingNotice experiment={experiment} testbed={live.testbed} />;
  if (isPhone) {
    return (
      <>
        <PhoneProgress experiment={experiment} left={left} />
        {waiting}
        {main}
        {trials}
        {flagged}
        {log && <div className={styles.phoneLog}>{log}</div>}
      </>
    );
  }
  return (
    <>
      <ExperimentFigures experiment={experiment} left={left} />
      {waiting}
      <div className={styles.columns}>
        <div className={styles.left}>
          <div className={styles.trials} data-whole={isFinished(status) || undefined}>
            {trials}
          </div>
          {flagged}
          {log && <div className={styles.log}>{log}</div>}
        </div>
        <div className={styles.right}>{main}</div>
      </div>
    </>
  );
}

function newestFirst(log: readonly LiveLogEntry[]): LogEntry[] {
  return log
    .slice(-maxLines)
    .map(({ sequence, line }) => ({ key: sequence, line }))
    .reverse();
}
