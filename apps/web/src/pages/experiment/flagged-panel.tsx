import { treatmentsOfRuns } from '@mqttlab/shared/analysis/counting-runs';
import { type FlaggedNotice, noticeOfFlagged } from '@mqttlab/shared/analysis/flagged-runs';
import { flagName } from '@mqttlab/shared/catalogue/flags';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail, ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { RunRow } from '@mqttlab/shared/domain/runs/run';
import { countingAttempts } from '@mqttlab/shared/domain/runs/run';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { formatCount } from '@mqttlab/shared/format/number';
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactElement, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { Dialog } from '../../ui/dialog.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { RunAgainButton } from '../compare/flagged-notice.tsx';
import styles from './experiment.module.css';

type FlaggedPanelProps = {
  experiment: ExperimentDetail;
  readOnly: boolean;
  /** The experiment, if its flagged runs can be repeated here. */
  againIds: readonly number[];
};

/** Returns true if flagged runs can be repeated: a finished, local experiment whose trials have all run. */
export function canRunAgain({ status, imported, progress }: ExperimentSummary): boolean {
  const { trials, done, failed, cancelled } = progress;
  const isThrough = done + failed + cancelled >= trials || status === 'paused';
  return (isFinished(status) || status === 'paused') && isThrough && imported === null;
}

/** Summarises the flagged runs for the response; null during runs, or if few are flagged. */
export function noticeOfExperiment(
  { id, plan, runs, status }: ExperimentDetail,
  /** Names the metrics that are not affected. */
  comparison?: Comparison,
): FlaggedNotice | null {
  const metric = findMetric(plan?.response ?? '');
  if (!plan || !metric || !(isFinished(status) || status === 'paused')) return null;
  return noticeOfFlagged(comparison?.treatments ?? treatmentsOfRuns(id, plan, runs), metric);
}

/** Failed checks with the number of runs and links to them. Hidden if every run is valid. */
export function FlaggedPanel({ experiment, readOnly, againIds }: FlaggedPanelProps): ReactElement | null {
  const { flagged, judged, verdicts } = useMemo(
    () => rollUpVerdicts(experiment.runs, isFinished(experiment.status)),
    [experiment.runs, experiment.status],
  );
  if (verdicts.length === 0) return null;
  return (
    <Panel
      title="Flagged runs"
      subtitle={`${formatCount(flagged)} of ${formatCount(judged)}, left out of affected metrics`}
      actions={<RunAgainButton experimentIds={againIds} flagged={flagged} />}
      flush
    >
      <VerdictList verdicts={verdicts} experimentId={readOnly ? undefined : experiment.id} />
    </Panel>
  );
}

/** Maximum length of the causes text, which must fit the narrowest column. */
const maxLetters = 58;

/**
 * Returns "CPU used by other programs 14 · Generator fell behind schedule 6". If the text is too long, "2
 * more causes" replaces the rest.
 */
export function causesInLine(verdicts: readonly Pick<FailedVerdict, 'name' | 'runs'>[]): string {
  const causes = verdicts
    .toSorted((a, b) => b.runs.length - a.runs.length)
    .map(({ name, runs }) => `${name} ${formatCount(runs.length)}`);
  for (let shown = causes.length; shown > 1; shown -= 1) {
    const rest = causes.length - shown;
    const line = [...causes.slice(0, shown), ...(rest > 0 ? [`${rest} more`] : [])].join(' · ');
    if (line.length <= maxLetters) return line;
  }
  const [first = ''] = causes;
  return causes.length > 1 ? `${first} · ${causes.length - 1} more` : first;
}

/**
 * A line of constant height with the count of flagged runs and their causes during the runs. A click opens
 * the list.
 */
export function FlaggedLine({ experiment, readOnly }: Omit<FlaggedPanelProps, 'againIds'>): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const { flagged, judged, verdicts } = useMemo(
    () => rollUpVerdicts(experiment.runs, false),
    [experiment.runs],
  );
  return (
    <Panel>
      <button
        type="button"
        className={styles.flaggedLine}
        disabled={flagged === 0}
        onClick={() => setIsOpen(true)}
      >
        {flagged === 0 ? (
          <StatusLine kind="valid">No flagged run so far</StatusLine>
        ) : (
          <StatusLine kind="flagged">
            {formatCount(flagged)} of {formatCount(judged)} runs flagged
          </StatusLine>
        )}
        {flagged > 0 && <IconChevronRight size={16} stroke={2} aria-hidden />}
        <span className={styles.causes}>{causesInLine(verdicts)}</span>
      </button>
      <Dialog title="Flagged runs" size={640} opened={isOpen} onClose={() => setIsOpen(false)}>
        <VerdictList verdicts={verdicts} experimentId={readOnly ? undefined : experiment.id} />
      </Dialog>
    </Panel>
  );
}

type VerdictListProps = { verdicts: readonly FailedVerdict[]; experimentId: number | undefined };

function VerdictList({ verdicts, experimentId }: VerdictListProps): ReactElement {
  return (
    <ul className={styles.list}>
      {verdicts.map((verdict) => (
        <VerdictRow
          key={verdict.id}
          verdict={verdict}
          {...(experimentId === undefined ? {} : { experimentId })}
        />
      ))}
    </ul>
  );
}

/** Maximum number of links shown. */
const firstLinks = 6;

function VerdictRow({
  verdict,
  experimentId,
}: {
  verdict: FailedVerdict;
  experimentId?: number;
}): ReactElement {
  const [showsAll, setShowsAll] = useState(false);
  const { name, runs } = verdict;
  const shown = showsAll ? runs : runs.slice(0, firstLinks);
  return (
    <li>
      <StatusLine kind="flagged">{name}</StatusLine>
      <b>{formatCount(runs.length)}</b>
      <span className={styles.runs}>
        {shown.map(({ runId, trialNumber, evidence }) =>
          experimentId === undefined ? (
            <span key={runId} title={evidence}>
              {trialNumber}
            </span>
          ) : (
            <Link
              key={runId}
              className="link"
              to={`/experiments/${experimentId}/runs/${runId}`}
              title={evidence}
              aria-label={`Run ${trialNumber}: ${evidence}`}
            >
              {trialNumber}
            </Link>
          ),
        )}
        {runs.length > shown.length && (
          <button type="button" className={styles.more} onClick={() => setShowsAll(true)}>
            {formatCount(runs.length - shown.length)} more
          </button>
        )}
      </span>
    </li>
  );
}

/** A failed check with the runs that it flags, oldest first. */
interface FailedVerdict {
  id: string;
  /** Description of the failure. */
  name: string;
  runs: { runId: number; trialNumber: number; evidence: string }[];
}

interface VerdictRollup {
  flagged: number;
  /** Number of finished runs, counting one attempt per trial. */
  judged: number;
  /**
   * Failed checks in order of first failure, so that no row moves. In a finished experiment, the most
   * frequent is first.
   */
  verdicts: FailedVerdict[];
}

/** Groups runs by failed check. A run may fail several checks; a retried trial counts once. */
export function rollUpVerdicts(runs: readonly RunRow[], isOver: boolean): VerdictRollup {
  const last = countingAttempts(runs).filter((run) => run.status === 'done');
  const failed = new Map<string, FailedVerdict>();
  for (const run of last) {
    for (const { id, label, status, evidence } of run.verdicts) {
      if (status !== 'failed') continue;
      const entry = failed.get(id) ?? { id, name: flagName({ id, label }), runs: [] };
      entry.runs.push({ runId: run.id, trialNumber: run.trialNumber, evidence });
      failed.set(id, entry);
    }
  }
  return {
    flagged: last.filter((run) => run.flagged).length,
    judged: last.length,
    verdicts: isOver
      ? [...failed.values()].sort((a, b) => b.runs.length - a.runs.length)
      : [...failed.values()],
  };
}
