import { Button } from '@mantine/core';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'react-router';
import { ErrorState } from '../../ui/states.tsx';

export type FailurePanelProps = {
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
    : 'The run failed without a reason.';
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
