import type { Comparison } from '@mqttlab/shared/domain/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/experiment';
import { isSettled, type RunDetail } from '@mqttlab/shared/domain/run';
import type { TestbedStatus } from '@mqttlab/shared/protocol/http';
import type { CurrentRun } from '@mqttlab/shared/protocol/live';
import { type ReactElement, useMemo } from 'react';
import { makeComparisonViewModel } from '../compare/comparison-view-model.ts';
import { DistributionPanel } from '../compare/distribution-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Panel } from '../ui/panel.tsx';
import { useIsPhone } from '../ui/use-is-phone.ts';
import { CurrentRunPanel, CurrentRunPlaceholder } from './current-run-panel.tsx';
import { ExperimentFigures } from './experiment-figures.tsx';
import { isFinished } from './experiment-offers.ts';
import styles from './experiment-view.module.css';
import type { LiveLogEntry } from './live-state.ts';
import { LogPanel } from './log-panel.tsx';
import { OutcomePanel } from './outcome-panel.tsx';
import { PhoneProgress } from './phone-progress.tsx';
import { timeLeftAt } from './run-durations.ts';
import { TrialsPanel } from './trials-panel.tsx';

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
  onOpenRun?: (runId: number) => void;
};

const noLog: readonly LiveLogEntry[] = [];

/** The body of an experiment's page, while it runs and afterwards, below its page head. */
export function ExperimentView(props: ExperimentViewProps): ReactElement {
  const { experiment, nowMs, live, readOnly = false } = props;
  const isPhone = useIsPhone();
  const { plan } = experiment;
  const onOpenRun = readOnly ? undefined : props.onOpenRun;
  const left = timeLeftAt(experiment, live?.toldAt, nowMs);
  if (!plan) {
    return (
      <Panel>
        <EmptyState sentence="This experiment is a draft: it has no plan and no runs yet." />
      </Panel>
    );
  }
  const finished = isFinished(experiment.status);
  const lines = (live?.log ?? noLog).map(({ sequence, line }) => ({ key: sequence, line })).reverse();
  const log = (lines.length > 0 || !finished) && live && (
    <LogPanel entries={lines} subtitle="newest first" empty="Nothing was said yet." fill />
  );
  const trials = <TrialsPanel experiment={experiment} plan={plan} nowMs={nowMs} onOpenRun={onOpenRun} />;
  const main = finished ? (
    <>
      <OutcomePanel experiment={experiment} plan={plan} />
      {props.comparison && <DistributionOf comparison={props.comparison} metric={plan.response} />}
    </>
  ) : (
    <LiveRun {...props} onOpenRun={onOpenRun} />
  );
  if (isPhone) {
    return (
      <>
        <PhoneProgress experiment={experiment} left={left} />
        {main}
        {trials}
        {log && <div className={styles.phoneLog}>{log}</div>}
      </>
    );
  }
  return (
    <>
      <ExperimentFigures experiment={experiment} left={left} />
      <div className={styles.columns}>
        <div className={styles.left}>
          <div className={styles.trials}>{trials}</div>
          {log && <div className={styles.log}>{log}</div>}
        </div>
        <div className={styles.right}>{main}</div>
      </div>
    </>
  );
}

/** Of the response, over all treatments; nothing where no message was timed. */
function DistributionOf({
  comparison,
  metric,
}: {
  comparison: Comparison;
  metric: string;
}): ReactElement | null {
  const model = useMemo(
    () => makeComparisonViewModel(comparison, { metric, baseline: '', hidden: [], flagged: false }),
    [comparison, metric],
  );
  return model && model.usedRuns > 0 ? <DistributionPanel model={model} flagged={false} /> : null;
}

type LiveRunProps = Omit<ExperimentViewProps, 'onOpenRun'> & {
  onOpenRun: ((runId: number) => void) | undefined;
};

function LiveRun({ experiment, live, onOpenRun }: LiveRunProps): ReactElement {
  const { plan, runs, status } = experiment;
  const current = live?.current ?? null;
  const treatment = plan?.treatments.find((item) => item.key === current?.run.treatmentKey);
  const isUnderWay = current !== null && (status !== 'paused' || !isSettled(current.run.status));
  if (live && treatment && isUnderWay) {
    return (
      <CurrentRunPanel
        current={current}
        treatment={treatment}
        earlier={live.earlier}
        runs={runs}
        testbed={live.testbed}
        onOpenRun={onOpenRun}
      />
    );
  }
  if (plan && runs.some((run) => run.status === 'done') && (!live || status === 'paused')) {
    return <OutcomePanel experiment={experiment} plan={plan} />;
  }
  if (status === 'queued' || status === 'paused') {
    return (
      <Panel title="Current run">
        <EmptyState sentence={describeWait(experiment)} />
      </Panel>
    );
  }
  return <CurrentRunPlaceholder words="the next run is being prepared" />;
}

function describeWait({ status, queuePosition }: ExperimentDetail): string {
  if (status === 'paused') return 'Paused before the first run: resume it to go on.';
  const ahead = queuePosition ?? 0;
  if (ahead === 0) return 'It starts as soon as the testbed is free.';
  const what = ahead === 1 ? 'the experiment' : `${ahead} experiments`;
  return `It waits for ${what} ahead of it on the same testbed, and then starts by itself.`;
}
