import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { ReactElement } from 'react';
import { RunAgainButton } from '../../compare/flagged-notice.tsx';
import type { DrawnInput } from './part-document.tsx';

type RunPartAgainProps = {
  experiment: Pick<ExperimentDetail, 'id' | 'status' | 'imported'> | undefined;
  input: Pick<DrawnInput, 'treatments' | 'flagged'>;
};

/**
 * Button to run a part again if all its runs are flagged, so that its document has few or no values. Hidden
 * otherwise.
 */
export function RunPartAgain({ experiment, input }: RunPartAgainProps): ReactElement | null {
  const runs = input.treatments.flatMap((treatment) => treatment.runs);
  const isAllFlagged = runs.length > 0 && runs.every(({ flagged }) => flagged);
  if (!isAllFlagged || input.flagged || !experiment || experiment.imported) return null;
  if (!isFinished(experiment.status)) return null;
  return <RunAgainButton experimentIds={[experiment.id]} flagged={runs.length} isPrimary />;
}
