import { Button } from '@mantine/core';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { type Redefined, type RunDetail, whySeriesGone } from '@mqttlab/shared/domain/runs/run';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { IconInfoCircle, IconRefresh } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'react-router';
import { ErrorState } from '../../ui/states.tsx';
import { whatChanged } from '../experiments/describe-experiment.ts';
import styles from './run.module.css';

type LineageProps = {
  run: RunDetail;
  /** The run that tried this one again. */
  retriedBy: number | null;
  /** Names the runs without leading to them. */
  readOnly?: boolean;
};

/** The run that this one tries again, and the one that tried it again: nothing is overwritten. */
export function Lineage({ run, retriedBy, readOnly = false }: LineageProps): ReactElement | null {
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
            Tried again as {name(retriedBy, run.attempt + 1)}, which counts instead. Nothing of this run was
            overwritten.
          </>
        )}
      </span>
    </p>
  );
}

/** Told in full before the rest is only counted. */
const most = 4;

/** What became of figures that an earlier version had computed by other definitions. */
export function RedefinedNote({ redefined }: { redefined: Redefined | undefined }): ReactElement | null {
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
        Recomputed from its stored evidence by later definitions: {whatChanged()}.{figures}
      </span>
    </p>
  );
}

/** What retention left of a run. */
export function RemovedNote({ run }: { run: RunDetail }): ReactElement | null {
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
  /** The run that tried this trial again. */
  retriedBy: number | null;
  /** The button that tries again, where that can be done. */
  retry?: ReactNode;
};

/** Why a run has no result: what happened, what is lost with it, and what to do. Nothing for a run that has one. */
export function FailurePanel({ run, retriedBy, retry }: FailurePanelProps): ReactElement | null {
  if (run.status === 'failed' || run.status === 'interrupted') {
    return (
      <ErrorState
        happened={run.failure?.message ?? whatHappened(run.status)}
        lost={describeLoss(run)}
        nextStep={
          retriedBy === null
            ? (run.failure?.remedy ?? 'Retry the trial.')
            : `Run ${retriedBy} tried it again.`
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
    ? 'The server stopped while this run was under way.'
    : 'The run failed for an unknown reason.';
}

/** Every other run of the experiment stays; of this one there is what its devices could still report. */
function describeLoss(run: RunDetail): string {
  const roles = run.results.map(({ role }) => role);
  const kept =
    roles.length === 0
      ? 'No device reported'
      : `What the ${roles.join(', the ').replace(/, the (\w+)$/, ' and the $1')} reported until then is kept below`;
  return `The measurement of this run is lost; every other run is kept. ${kept}.`;
}
