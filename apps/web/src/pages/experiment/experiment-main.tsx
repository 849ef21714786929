import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { type ExperimentDetail, isFinished } from '@mqttlab/shared/domain/runs/experiment';
import { isSettled } from '@mqttlab/shared/domain/runs/run';
import { memo, type ReactElement } from 'react';
import { Panel } from '../../ui/panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { describeWaiting } from '../experiments/describe-waiting.ts';
import { CurrentRunPanel, CurrentRunPlaceholder } from './current-run-panel.tsx';
import type { ExperimentLive } from './experiment-view.tsx';
import { OutcomeDistribution } from './outcome-distribution.tsx';
import { OutcomePanel } from './outcome-panel.tsx';
import { ThresholdsPanel } from './thresholds-panel.tsx';

export type ExperimentMainProps = {
  experiment: ExperimentDetail;
  live: ExperimentLive | undefined;
  comparison: Comparison | undefined;
  onOpenRun: ((runId: number) => void) | undefined;
};

/** The larger part of the page: the run under way, or what came out. */
export const ExperimentMain = memo(function ExperimentMain(props: ExperimentMainProps): ReactElement {
  const { experiment, live, comparison, onOpenRun } = props;
  const { plan, runs, status } = experiment;
  const current = live?.current ?? null;
  const treatment = plan?.treatments.find((item) => item.key === current?.run.treatmentKey);
  const isUnderWay = current !== null && (status !== 'paused' || !isSettled(current.run.status));
  if (plan && isFinished(status)) {
    return (
      <>
        <OutcomePanel experiment={experiment} plan={plan} />
        {comparison && <ThresholdsPanel plan={plan} comparison={comparison} />}
        {comparison && <OutcomeDistribution comparison={comparison} metric={plan.response} />}
      </>
    );
  }
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
  const waiting = describeWaiting(experiment, live?.testbed);
  return <CurrentRunPlaceholder words={waiting?.short ?? 'the next run is being prepared'} />;
});

function describeWait({ status, queuePosition }: ExperimentDetail): string {
  if (status === 'paused') return 'Paused before the first run: resume it to go on.';
  const ahead = queuePosition ?? 0;
  if (ahead === 0) return 'It starts as soon as the testbed is free.';
  const what = ahead === 1 ? 'the experiment' : `${ahead} experiments`;
  return `It waits for ${what} ahead of it on the same testbed, and then starts by itself.`;
}
