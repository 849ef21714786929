import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { ReactElement } from 'react';
import { StatusBadge } from '../../ui/status.tsx';

interface FinalBadgeProps {
  progress: Pick<ExperimentSummary['progress'], 'done' | 'flagged'>;
}

/** Status of an experiment that no longer changes, with the number of flagged runs if there are any. */
export function FinalBadge({ progress: { done, flagged } }: FinalBadgeProps): ReactElement {
  if (flagged === 0) return <StatusBadge kind="done" />;
  return <StatusBadge kind="flagged">{`Done, ${flagged} of ${done} flagged`}</StatusBadge>;
}
