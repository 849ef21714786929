import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { ReactElement } from 'react';
import { useExperiment, useTestbeds } from '../../api/queries.ts';
import { useLive } from '../../live/live-provider.tsx';
import { useEarlierRuns } from '../../live/use-earlier-runs.ts';
import { CurrentRunPanel, CurrentRunPlaceholder } from './current-run-panel.tsx';

/** For the page of a Run that has not ended: the same picture as on the page of its experiment. */
export function RunUnderWay({ run }: { run: RunDetail }): ReactElement {
  const experiment = useExperiment(run.experimentId).data;
  const current = useLive((state) => state.current.find((item) => item.run.id === run.id)) ?? null;
  const runs = experiment?.runs ?? [];
  const earlier = useEarlierRuns(runs, current?.run ?? null);
  const testbed = useTestbeds().data?.find((item) => item.testbedId === experiment?.testbedId);
  if (!current) return <CurrentRunPlaceholder words="waiting for its devices" />;
  return (
    <CurrentRunPanel
      current={current}
      treatment={run.treatment}
      earlier={earlier}
      runs={runs}
      testbed={testbed}
    />
  );
}
