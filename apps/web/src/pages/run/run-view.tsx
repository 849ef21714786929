import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { isSettled } from '@mqttlab/shared/domain/runs/run';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import { type LogEntry, LogPanel } from '../../live/log-panel.tsx';
import { KeyFigures } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { FailurePanel } from './failure-panel.tsx';
import { Lineage } from './lineage.tsx';
import { MeterPanel } from './meter/meter-panel.tsx';
import { runDevices } from './models/run-devices.ts';
import { makeRunFigures } from './models/run-figures.ts';
import { NotesPanel } from './notes-panel.tsx';
import { AskedPanel } from './panels/asked-panel.tsx';
import { DistributionPanel } from './panels/distribution-panel.tsx';
import { EnvironmentPanel } from './panels/environment-panel.tsx';
import { PhasesPanel } from './panels/phases-panel.tsx';
import { ProtectionPanel } from './panels/protection-panel.tsx';
import { SeriesPanel } from './panels/series-panel.tsx';
import { VerdictsPanel } from './panels/verdicts-panel.tsx';
import { RedefinedNote } from './redefined-note.tsx';
import { RunExtras } from './run-extras.tsx';
import styles from './run-view.module.css';
import { useSiblingRuns } from './use-sibling-runs.ts';

export type RunViewProps = {
  run: RunDetail;
  /** The run that tried this trial again. */
  retriedBy?: number | null;
  /** For shared links: shows everything, leads nowhere, changes nothing. */
  readOnly?: boolean;
  /** The button of a failed run. */
  retry?: ReactNode;
  /** Stands in place of the results while the run is under way. */
  underWay?: ReactNode;
};

const chartPx = 280;

/** Everything known about one Run, below its page head. */
export function RunView(props: RunViewProps): ReactElement {
  const { run, retriedBy = null, readOnly = false, retry, underWay } = props;
  const siblings = useSiblingRuns(run, readOnly);
  const log = useMemo(() => mergeLogs(run), [run]);
  const lineage = (
    <>
      <Lineage run={run} retriedBy={retriedBy} readOnly={readOnly} />
      <RedefinedNote redefined={run.redefined} />
    </>
  );
  if (!isSettled(run.status)) {
    return (
      <>
        {lineage}
        {underWay ?? (
          <Panel>
            <EmptyState sentence="This run is under way: its results stand here once every device has reported." />
          </Panel>
        )}
      </>
    );
  }
  // What somebody said of the run comes first; the empty form waits below the results.
  const saysSomething =
    run.notes !== '' || run.tags.length > 0 || run.exclusion !== null || run.results.length === 0;
  const notes = <NotesPanel key="notes" run={run} readOnly={readOnly} />;
  const hasResults = run.results.length > 0;
  const hasMetrics = Object.values(run.metrics).some((value) => value !== null);
  return (
    <>
      {lineage}
      <FailurePanel run={run} retriedBy={retriedBy} retry={readOnly ? undefined : retry} />
      {hasMetrics && (
        <KeyFigures
          label="Key figures"
          figures={makeRunFigures(run).map(({ label, value, note }) => ({ label, value, note }))}
        />
      )}
      {saysSomething && notes}
      {hasResults ? (
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
          <RunExtras run={run} />
          {!readOnly && run.status === 'done' && <MeterPanel run={run} />}
          {!saysSomething && notes}
          <div className={styles.two}>
            <div className={styles.log}>
              <LogPanel
                entries={log}
                subtitle="of server and devices, oldest first"
                empty={
                  readOnly
                    ? 'A link shows logs only where that was chosen when it was made.'
                    : 'Nobody said anything.'
                }
                fill
              />
            </div>
            <EnvironmentPanel run={run} />
          </div>
        </div>
      ) : (
        <Panel>
          <EmptyState
            sentence={`This run was ${run.status} before any device reported, so there is nothing to show.`}
          />
        </Panel>
      )}
    </>
  );
}

function mergeLogs(run: RunDetail): LogEntry[] {
  return runDevices(run)
    .flatMap(({ key, label, result }) =>
      result.log.map((line, i) => ({ key: `${key} ${i}`, line: withDevice(line, label.toLowerCase()) })),
    )
    .sort((a, b) => a.line.at - b.line.at);
}

/** What an agent says is told apart by its role; brokers and others have names of their own. */
function withDevice(line: LogLine, device: string): LogLine {
  return line.source === 'agent' ? { ...line, source: device } : line;
}
