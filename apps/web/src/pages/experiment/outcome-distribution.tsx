import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { type ReactElement, useMemo } from 'react';
import { parseCompareState } from '../compare/compare-state.ts';
import { makeComparisonViewModel } from '../compare/comparison-view-model.ts';
import { DistributionPanel } from '../compare/panels/distribution-panel.tsx';

/** How the response spreads in each treatment; nothing while no run has it. */
export function OutcomeDistribution({
  comparison,
  metric,
}: {
  comparison: Comparison;
  metric: string;
}): ReactElement | null {
  const model = useMemo(
    () => makeComparisonViewModel(comparison, { ...parseCompareState(''), metric }),
    [comparison, metric],
  );
  return model && model.usedRuns > 0 ? <DistributionPanel model={model} flagged={false} /> : null;
}
