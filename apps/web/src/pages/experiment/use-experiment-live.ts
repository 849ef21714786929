import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { useMemo } from 'react';
import { useLive } from '../../live/live-provider.tsx';
import { useEarlierRuns } from '../../live/use-earlier-runs.ts';
import type { ExperimentLive } from './experiment-view.tsx';

/** What the live channel knows about one experiment. */
export function useExperimentLive(experiment: ExperimentDetail): ExperimentLive {
  const { id, testbedId, runs } = experiment;
  const current = useLive((state) => state.current.find(({ run }) => run.experimentId === id)) ?? null;
  const testbed = useLive((state) => state.testbeds.find((item) => item.testbedId === testbedId));
  const toldAt = useLive((state) => state.toldAt[id]);
  const all = useLive((state) => state.log);
  const log = useMemo(() => all.filter((entry) => entry.experimentId === id), [all, id]);
  const earlier = useEarlierRuns(runs, current?.run ?? null);
  return useMemo(
    () => ({ current, log, earlier, testbed, toldAt }),
    [current, log, earlier, testbed, toldAt],
  );
}
