import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { ReactElement } from 'react';
import { StatusBadge } from '../../ui/status.tsx';
import { withFlagged } from '../experiments/describe-experiment.ts';

interface FinalBadgeProps {
  /** null for studies and comparisons, which show their flagged runs below. */
  progress: Pick<ExperimentSummary['progress'], 'done' | 'flagged'> | null;
}

/** Status of results that no longer change, with the number of flagged runs if there are any. */
export function FinalBadge({ progress }: FinalBadgeProps): ReactElement {
  if (progress === null || progress.flagged === 0) return <StatusBadge kind="done" />;
  return <StatusBadge kind="flagged">{withFlagged('Done', progress)}</StatusBadge>;
}
