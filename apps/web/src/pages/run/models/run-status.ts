import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { StatusKind } from '../../../ui/status.tsx';

/** A finished Run is called by its validity, any other by its status. */
export function runStatusKind({ status, flagged }: Pick<RunSummary, 'status' | 'flagged'>): StatusKind {
  if (status === 'done') return flagged ? 'flagged' : 'valid';
  return status;
}
