import { Button } from '@mantine/core';
import {
  type JudgedThreshold,
  judgeThresholds,
  type ThresholdOutcome,
} from '@mqttlab/shared/analysis/judge-thresholds';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { ComparedSeries, Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail, ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { isFinished, isSettled } from '@mqttlab/shared/domain/runs/statuses';
import { formatCount } from '@mqttlab/shared/format/number';
import { inSentence } from '@mqttlab/shared/format/unit';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import { useInfiniteQuery } from '@tanstack/react-query';
import { memo, type ReactElement, useMemo } from 'react';
import { call, keyOf } from '../../api/client.ts';
import { CurrentRunPanel, CurrentRunPlaceholder } from '../../live/current-run-panel.tsx';
import type { LiveLogEntry } from '../../live/live-state.ts';
import { type LogEntry, LogPanel } from '../../live/log-panel.tsx';
import { timeLeftAt } from '../../live/time-left.ts';
import { ImportNotice } from '../../ui/import-notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { type StatusKind, StatusLine } from '../../ui/status.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import { AnswerPanel } from '../compare/answer-panel.tsx';
import { parseCompareState } from '../compare/compare-state.ts';
import { FlaggedNotice } from '../compare/flagged-notice.tsx';
import { describeWaiting } from '../experiments/describe-experiment.ts';
import styles from './experiment.module.css';
import { ExperimentFigures, PhoneProgress } from './experiment-figures.tsx';
import { canRunAgain, FlaggedLine, FlaggedPanel, noticeOfExperiment } from './flagged-panel.tsx';
import { OutcomeDistribution, OutcomePanel } from './outcome-panel.tsx';
import { TrialsPanel } from './trials-panel.tsx';

/** Data from the live channel; absent in a shared snapshot. */
export interface ExperimentLive {
  current: CurrentRun | null;
  log: readonly LiveLogEntry[];
  earlier: readonly RunDetail[];
  testbed: TestbedStatus | undefined;
  /** When `timeLeftMs` was reported, in Unix ms of server time. */
  reportedAt: number | undefined;
}

type ExperimentViewProps = {
  experiment: ExperimentDetail;
  /** Server time, Unix ms. */
  nowMs: number;
  live?: ExperimentLive;
  /** Every metric and the distribution of the response, for a finished or paused experiment. */
  comparison?: Comparison | undefined;
  /** The series of a result over time, if there is one. */
  series?: readonly ComparedSeries[] | undefined;
  /** True for share links, in which cells are not links. */
  readOnly?: boolean;
  /** Stable function, so that components that receive it do not render again. */
  onOpenRun?: (runId: number) => void;
};

/** State of a comparison in which all fields have their defaults. */
const usualState = parseCompareState('');
/** Log lines per request. */
const maxLines = 200;

/** The content of an experiment page, during and after its runs. */
export function ExperimentView(props: ExperimentViewProps): ReactElement {
  const { experiment, nowMs, live, comparison, readOnly = false } = props;
  const isPhone = useIsPhone();
  const { plan, status } = experiment;
  const onOpenRun = readOnly ? undefined : props.onOpenRun;
  const lines = useMemo(() => lastLines(live?.log ?? []), [live?.log]);
  const left = timeLeftAt(experiment, live?.reportedAt, nowMs);
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
      <LogPanel entries={lines} subtitle="newest last" empty="No log lines yet." fill follows />
    ));
  const notice = noticeOfExperiment(experiment, comparison);
  const againIds = canRunAgain(experiment) && !readOnly ? [experiment.id] : [];
  const flagged = (
    <FlaggedPanel experiment={experiment} readOnly={readOnly} againIds={notice ? [] : againIds} />
  );
  const why = <FlaggedNotice notice={notice} experimentIds={againIds} />;
  const trials = <TrialsPanel experiment={experiment} plan={plan} nowMs={nowMs} onOpenRun={onOpenRun} />;
  const main = (
    <ExperimentMain
      experiment={experiment}
      live={live}
      comparison={comparison}
      series={props.series}
      isWhole={!readOnly}
      onOpenRun={onOpenRun}
    />
  );
  const waiting = live && <WaitingNotice experiment={experiment} testbed={live.testbed} />;
  const marks = <ImportNotice marks={experiment.imported} />;
  if (isPhone) {
    return (
      <>
        {marks}
        <PhoneProgress experiment={experiment} left={left} />
        {waiting}
        {why}
        {main}
        {trials}
        {flagged}
        {log && <div className={styles.phoneLog}>{log}</div>}
      </>
    );
  }
  return (
    <>
      {marks}
      <ExperimentFigures experiment={experiment} left={left} />
      {waiting}
      <div className={styles.columns}>
        <div className={styles.left}>
          <div className={styles.trials} data-whole={isFinished(status) || undefined}>
            {trials}
          </div>
          <div className={styles.flagged}>
            {isFinished(status) ? flagged : <FlaggedLine experiment={experiment} readOnly={readOnly} />}
          </div>
          {log && (
            <div className={styles.log} data-live={!isFinished(status) || undefined}>
              {log}
            </div>
          )}
        </div>
        <div className={styles.right}>
          {/* The panel appears together with the final result, to avoid another layout shift. */}
          {why}
          {main}
        </div>
      </div>
    </>
  );
}

function lastLines(log: readonly LiveLogEntry[]): LogEntry[] {
  return log.slice(-maxLines).map(({ sequence, line }) => ({ key: sequence, line }));
}

type ExperimentMainProps = {
  experiment: ExperimentDetail;
  live: ExperimentLive | undefined;
  comparison: Comparison | undefined;
  series: readonly ComparedSeries[] | undefined;
  /** A share link shows the comparison below. */
  isWhole: boolean;
  onOpenRun: ((runId: number) => void) | undefined;
};

/** The main panel: the current run, or the result. */
const ExperimentMain = memo(function ExperimentMain(props: ExperimentMainProps): ReactElement {
  const { experiment, live, comparison, series = null, isWhole, onOpenRun } = props;
  const { plan, runs, status } = experiment;
  const current = live?.current ?? null;
  const treatment = plan?.treatments.find((item) => item.key === current?.run.treatmentKey);
  const isUnderWay = current !== null && (status !== 'paused' || !isSettled(current.run.status));
  if (plan && isFinished(status)) {
    return (
      <>
        <OutcomePanel experiment={experiment} plan={plan} comparison={comparison} />
        {comparison && <AnswerPanel comparison={comparison} state={usualState} series={series} />}
        {isWhole && comparison && <ThresholdsPanel plan={plan} comparison={comparison} />}
        {isWhole && comparison && <OutcomeDistribution comparison={comparison} metric={plan.response} />}
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
    return <OutcomePanel experiment={experiment} plan={plan} comparison={comparison} />;
  }
  if (status === 'queued' || status === 'paused') {
    return (
      <Panel title="Current run">
        <EmptyState sentence={describeWait(experiment)} />
      </Panel>
    );
  }
  const waiting = describeWaiting(experiment, live?.testbed);
  return <CurrentRunPlaceholder words={waiting?.short ?? 'preparing the next run'} />;
});

function describeWait({ status, queuePosition }: ExperimentDetail): string {
  if (status === 'paused') return 'Paused before the first run: resume it to continue.';
  const ahead = queuePosition ?? 0;
  if (ahead === 0) return 'Starts as soon as the testbed is free.';
  const what = ahead === 1 ? 'the experiment' : `${ahead} experiments`;
  return `Waiting for ${what} ahead of it on the same testbed. It then starts automatically.`;
}

type WaitingNoticeProps = { experiment: ExperimentSummary; testbed: TestbedStatus | undefined };

/** Explains why no run is active, with the remedy. Hidden during a run. */
function WaitingNotice({ experiment, testbed }: WaitingNoticeProps): ReactElement | null {
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

/** The complete log of a finished experiment, newest first. */
function FinishedLog({ experimentId }: { experimentId: number }): ReactElement | null {
  const { entries, total, more, isLoading } = useExperimentLog(experimentId);
  if (entries.length === 0) return null;
  const shown = formatCount(entries.length);
  return (
    <LogPanel
      entries={entries}
      subtitle={more ? `newest ${shown} of ${formatCount(total)}` : `${shown} lines, newest first`}
      empty="No messages."
      fill
      foot={
        more && (
          <Button variant="subtle" size="xs" fullWidth loading={isLoading} onClick={more}>
            Older lines
          </Button>
        )
      }
    />
  );
}

/** Loads the log of an experiment page by page. */
function useExperimentLog(id: number) {
  const { data, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    queryKey: keyOf('GET /experiments/{id}/log', { params: { id } }),
    queryFn: ({ pageParam }) =>
      call('GET /experiments/{id}/log', { params: { id }, query: { before: pageParam } }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last, pages) => {
      const shown = pages.reduce((sum, page) => sum + page.items.length, 0);
      return shown < last.total ? last.items.at(-1)?.id : undefined;
    },
  });
  const entries = useMemo(
    () => (data?.pages ?? []).flatMap((page) => page.items.map(({ id: key, line }) => ({ key, line }))),
    [data],
  );
  return {
    /** Newest first. */
    entries,
    total: data?.pages.at(-1)?.total ?? 0,
    /** Fetches the next older page; undefined when everything is loaded. */
    more: hasNextPage ? () => void fetchNextPage() : undefined,
    isLoading: isFetching,
  };
}

const looks: Readonly<Record<ThresholdOutcome, { kind: StatusKind; word: string }>> = {
  held: { kind: 'passed', word: 'Held' },
  broken: { kind: 'failed', word: 'Broken' },
  'not resolved': { kind: 'warning', word: 'Not resolved' },
  'not measured': { kind: 'warning', word: 'No valid run' },
};

type ThresholdsPanelProps = { plan: Plan; comparison: Comparison };

/** Results of the plan's thresholds. Hidden if there are none. */
function ThresholdsPanel({ plan, comparison }: ThresholdsPanelProps): ReactElement | null {
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
      <p className={styles.note}>
        Held: the whole 95 % interval is within the limit. Broken: no part of the interval is.
      </p>
    </Panel>
  );
}

/** Returns "4 held, 1 broken, 1 not resolved". */
function summarise(judged: readonly JudgedThreshold[]): string {
  return (Object.keys(looks) as ThresholdOutcome[])
    .map((outcome) => ({ outcome, count: judged.filter((one) => one.outcome === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => `${formatCount(count)} ${inSentence(looks[outcome].word)}`)
    .join(', ');
}
