import { Button } from '@mantine/core';
import { makeRunFigures } from '@mqttlab/shared/analysis/run-figures';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import { type Redefined, type RunDetail, type RunRow, whySeriesGone } from '@mqttlab/shared/domain/runs/run';
import { isSettled } from '@mqttlab/shared/domain/runs/statuses';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { IconInfoCircle, IconRefresh } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import { Link } from 'react-router';
import { useApi } from '../../api/use-api.ts';
import { type FigureSource, FigureSourceContext } from '../../charts/panels/figure-source.ts';
import { type LogEntry, LogPanel } from '../../live/log-panel.tsx';
import { useEarlierRuns } from '../../live/use-earlier-runs.ts';
import { KeyFigures } from '../../ui/facts.tsx';
import { experimentCode, formatDateTime, formatDuration } from '../../ui/format.ts';
import { ImportNotice } from '../../ui/import-notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { CurrentBadge } from '../../ui/shell/shell-status.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { runStatusKind, whatChanged } from '../experiments/describe-experiment.ts';
import { MeterPanel } from './meter-panel.tsx';
import { NotesPanel } from './notes-panel.tsx';
import { AskedPanel } from './panels/asked-panel.tsx';
import { BridgePanel } from './panels/bridge-panel.tsx';
import { CapturePanel } from './panels/capture-panel.tsx';
import { ConnectionsPanel, connectionsOf } from './panels/connections-panel.tsx';
import { CoresPanel } from './panels/cores-panel.tsx';
import { DistributionPanel } from './panels/distribution-panel.tsx';
import { EnergyPanel } from './panels/energy-panel.tsx';
import { EnvironmentPanel } from './panels/environment-panel.tsx';
import { PayloadPanel, payloadOf } from './panels/payload-panel.tsx';
import { PhasesPanel } from './panels/phases-panel.tsx';
import { runDevices } from './panels/run-devices.tsx';
import { SeriesPanel } from './panels/series-panel.tsx';
import { StatesPanel } from './panels/states-panel.tsx';
import { ClocksPanel, ImpairmentPanel, PerfPanel, RadioPanel } from './panels/table-panels.tsx';
import { ProtectionPanel, VerdictsPanel } from './panels/verdicts-panel.tsx';
import styles from './run.module.css';

type RunViewProps = {
  run: RunDetail;
  /** The next attempt of this trial. */
  retriedBy?: number | null;
  /** True for share links: read-only, without links to other pages. */
  readOnly?: boolean;
  /** Token of the share link, if any. */
  token?: string;
  /** Retry button of a failed run. */
  retry?: ReactNode;
  /** Shown instead of the results during the run. */
  underWay?: ReactNode;
};

const chartPx = 280;

/** The content of a run page, below the page head. */
export function RunView(props: RunViewProps): ReactElement {
  const { run, retriedBy = null, readOnly = false, token, retry, underWay } = props;
  const siblings = useSiblingRuns(run, readOnly);
  const log = useMemo(() => mergeLogs(run), [run]);
  const lineage = (
    <>
      <Lineage run={run} retriedBy={retriedBy} readOnly={readOnly} />
      <ImportNotice marks={run} />
      <RedefinedNote redefined={run.redefined} />
      <RemovedNote run={run} />
    </>
  );
  if (!isSettled(run.status)) {
    return (
      <>
        {lineage}
        {underWay ?? (
          <Panel>
            <EmptyState sentence="This run is in progress. Its results appear here when every device has reported." />
          </Panel>
        )}
      </>
    );
  }
  // Existing notes are above the results; an empty form is below them.
  const saysSomething =
    run.notes !== '' || run.tags.length > 0 || run.exclusion !== null || run.results.length === 0;
  const notes = <NotesPanel key="notes" run={run} readOnly={readOnly} />;
  const hasResults = run.results.length > 0;
  const hasMetrics = Object.values(run.metrics).some((value) => value !== null);
  return (
    <>
      {lineage}
      <FailurePanel run={run} retriedBy={retriedBy} retry={readOnly ? undefined : retry} />
      {hasMetrics && <KeyFigures label="Key figures" figures={makeRunFigures(run)} />}
      {saysSomething && notes}
      {hasResults ? (
        <FigureSourceContext value={sourceOf(run)}>
          <div className={styles.rows}>
            <div className={styles.two}>
              <AskedPanel run={run} />
              <PhasesPanel run={run} />
            </div>
            <div className={styles.two}>
              <div className={styles.stack}>
                <VerdictsPanel run={run} />
                <ProtectionPanel spec={run.treatment.spec} />
              </div>
              <div className={styles.stack}>
                <DistributionPanel run={run} siblings={siblings} heightPx={chartPx} />
                <SeriesPanel run={run} heightPx={chartPx} />
              </div>
            </div>
            <RunExtras run={run} token={token} readOnly={readOnly} />
            {!readOnly && run.status === 'done' && run.seriesRemovedAt === undefined && (
              <MeterPanel run={run} />
            )}
            {!saysSomething && notes}
            <div className={styles.two}>
              <div className={styles.log}>
                <LogPanel
                  entries={log}
                  subtitle="from server and devices, oldest first"
                  empty={
                    whySeriesGone(run) ?? (readOnly ? 'This link does not include logs.' : 'No messages.')
                  }
                  fill
                />
              </div>
              <EnvironmentPanel run={run} />
            </div>
          </div>
        </FigureSourceContext>
      ) : (
        <Panel>
          <EmptyState sentence={whyNoResults(run)} />
        </Panel>
      )}
    </>
  );
}

function whyNoResults({ foreign, status }: RunDetail): string {
  return foreign
    ? `Only the values above are known, because ${foreign.tool} measured this run. It has no verdicts, series or logs.`
    : `This run was ${status} before any device reported, so there is nothing to show.`;
}

function sourceOf({ experimentId, experimentName, trialNumber, flagged }: RunDetail): FigureSource {
  const experiment = `${experimentCode(experimentId)} ${experimentName}, run ${trialNumber}`;
  return { experiment, valid: flagged ? 0 : 1, flagged: flagged ? 1 : 0 };
}

function mergeLogs(run: RunDetail): LogEntry[] {
  return runDevices(run)
    .flatMap(({ key, label, result }) =>
      result.log.map((line, i) => ({ key: `${key} ${i}`, line: withDevice(line, label.toLowerCase()) })),
    )
    .sort((a, b) => a.line.at - b.line.at);
}

/** Names the source of an agent's log line by device; other sources keep their names. */
function withDevice(line: LogLine, device: string): LogLine {
  return line.source === 'agent' ? { ...line, source: device } : line;
}

/** Panels for data that only some runs have, in two columns. */
function RunExtras({ run, token, readOnly }: Parameters<typeof CapturePanel>[0]): ReactElement {
  const small = (
    <>
      <PerfPanel run={run} />
      <RadioPanel run={run} />
      <ClocksPanel run={run} />
    </>
  );
  // The order balances the columns.
  const hasFirst = connectionsOf(run).length > 0 || payloadOf(run) !== null;
  return (
    <div className={styles.extras}>
      <CapturePanel run={run} token={token} readOnly={readOnly} />
      <ImpairmentPanel run={run} />
      <BridgePanel run={run} />
      <ConnectionsPanel run={run} />
      <StatesPanel run={run} />
      <PayloadPanel run={run} />
      {hasFirst && <CoresPanel run={run} />}
      <EnergyPanel run={run} />
      {!hasFirst && <CoresPanel run={run} />}
      {small}
    </div>
  );
}

const none: readonly RunRow[] = [];

/**
 * Returns the other valid runs of the same treatment, for the outline behind a distribution. Returns none on
 * shared pages.
 */
function useSiblingRuns(run: RunDetail, isShared: boolean): readonly RunDetail[] {
  const runs =
    useApi('GET /experiments/{id}', isShared ? null : { params: { id: run.experimentId } }).data?.runs ??
    none;
  return useEarlierRuns(runs, isShared ? null : run);
}

/** Returns "Run 27: TLS 1.3, TLS_AES_256_GCM_SHA384, QoS 1". */
export function runTitle(run: RunDetail): string {
  return `Run ${run.trialNumber}: ${run.treatment.label}`;
}

export function RunBadge({ run }: { run: RunDetail }): ReactElement {
  return <CurrentBadge kind={runStatusKind(run)} isFinal={isSettled(run.status)} />;
}

/** Returns "repetition 3, run 27 of 60, attempt 2, 20 Nov 11:48:12, took 74 s". */
export function describeRun(run: RunDetail): string {
  const { block, trialNumber, trialCount, attempt, startedAt, finishedAt } = run;
  return [
    `repetition ${formatCount(block)}`,
    `run ${formatCount(trialNumber)} of ${formatCount(trialCount)}`,
    ...(attempt > 1 ? [`attempt ${formatCount(attempt)}`] : []),
    ...(startedAt === null ? [] : [formatDateTime(startedAt)]),
    ...(startedAt === null || finishedAt === null ? [] : [`took ${formatDuration(finishedAt - startedAt)}`]),
  ].join(', ');
}

type LineageProps = {
  run: RunDetail;
  /** Id of the retry of this run; null if there is none. */
  retriedBy: number | null;
  /** True to name the runs without links. */
  readOnly?: boolean;
};

/** Links to the previous and next attempts of the trial. */
function Lineage({ run, retriedBy, readOnly = false }: LineageProps): ReactElement | null {
  if (run.retryOf === null && retriedBy === null) return null;
  const name = (id: number, attempt: number) =>
    readOnly ? (
      `attempt ${attempt}`
    ) : (
      <Link className="link" to={`/experiments/${run.experimentId}/runs/${id}`}>
        attempt {attempt}
      </Link>
    );
  return (
    <p className={styles.lineage}>
      <IconRefresh size={14} stroke={2.2} aria-hidden />
      <span>
        {run.retryOf !== null && <>Retry of {name(run.retryOf, run.attempt - 1)}. </>}
        {retriedBy !== null && (
          <>
            Tried again as {name(retriedBy, run.attempt + 1)}, which counts instead. Nothing in this run was
            overwritten.
          </>
        )}
      </span>
    </p>
  );
}

/** Maximum number of changes listed; the rest are counted. */
const most = 4;

/** Lists metrics that were recomputed because their definitions changed. */
function RedefinedNote({ redefined }: { redefined: Redefined | undefined }): ReactElement | null {
  if (!redefined) return null;
  const { changes } = redefined;
  const said = changes.slice(0, most).map(({ metric, before, after }) => {
    const { label, unit } = findMetric(metric) ?? { label: metric, unit: '' };
    return `${label} ${formatQuantity(before, unit)} → ${after === null ? 'none' : formatQuantity(after, unit)}`;
  });
  const rest = changes.length - said.length;
  const figures = said.length === 0 ? '' : ` ${said.join('; ')}${rest > 0 ? `; ${rest} more` : ''}.`;
  return (
    <p className={styles.lineage}>
      <IconInfoCircle size={14} stroke={2.2} aria-hidden />
      <span>
        Recomputed from its stored evidence with later definitions: {whatChanged()}.{figures}
      </span>
    </p>
  );
}

/** Explains which of the run's data was removed by retention. */
function RemovedNote({ run }: { run: RunDetail }): ReactElement | null {
  const words = whySeriesGone(run);
  return words === null ? null : (
    <p className={styles.lineage}>
      <IconInfoCircle size={14} stroke={2.2} aria-hidden />
      <span>{words}</span>
    </p>
  );
}

type FailurePanelProps = {
  run: RunDetail;
  /** The next attempt of this trial. */
  retriedBy: number | null;
  /** Retry button, if a retry is possible. */
  retry?: ReactNode;
};

/** Explains a missing result with its cause, lost data and a remedy. Hidden for a run with a result. */
function FailurePanel({ run, retriedBy, retry }: FailurePanelProps): ReactElement | null {
  if (run.status === 'failed' || run.status === 'interrupted') {
    return (
      <ErrorState
        happened={run.failure?.message ?? whatHappened(run.status)}
        lost={describeLoss(run)}
        nextStep={
          retriedBy === null ? (run.failure?.remedy ?? 'Retry the trial.') : `Run ${retriedBy} is the retry.`
        }
        action={
          retriedBy === null ? (
            retry
          ) : (
            <Button
              component={Link}
              to={`/experiments/${run.experimentId}/runs/${retriedBy}`}
              variant="default"
              size="xs"
            >
              Open run {retriedBy}
            </Button>
          )
        }
      />
    );
  }
  return null;
}

function whatHappened(status: 'failed' | 'interrupted'): string {
  return status === 'interrupted'
    ? 'The server stopped while this run was in progress.'
    : 'The run failed for an unknown reason.';
}

/** Describes lost data. Other runs are not affected, and results that devices still reported are shown. */
function describeLoss(run: RunDetail): string {
  const roles = run.results.map(({ role }) => role);
  const kept =
    roles.length === 0
      ? 'No device reported data'
      : `Data reported by the ${roles.join(', the ').replace(/, the (\w+)$/, ' and the $1')} is shown below`;
  return `This run’s measurement is lost; other runs are not affected. ${kept}.`;
}
