import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { api } from '../../../api/client.ts';
import { keepExperiment } from '../../../api/mutations.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { DraftKeeper, type DraftState } from './draft-keeper.ts';
import { makeLocalCopy } from './local-copy.ts';

/** The draft of an experiment with its autosave; give the component that calls it the experiment's id as key. */
export function useDraft(experiment: ExperimentDetail): { keeper: DraftKeeper; state: DraftState } {
  const client = useQueryClient();
  const { id } = experiment;
  const [keeper] = useState(
    () =>
      new DraftKeeper(experiment, {
        load: () => api.experiment(id),
        save: (draft) => api.saveDraft(id, draft),
        local: makeLocalCopy(id, window.localStorage),
        now: () => Date.now(),
        onSaved: (saved) => keepExperiment(client, saved),
      }),
  );
  useEffect(() => {
    keeper.start();
    return () => keeper.stop();
  }, [keeper]);
  useHearOthers(keeper, experiment);
  useSaveWhenHidden(keeper);
  const state = useSyncExternalStore(keeper.subscribe, keeper.getState);
  return { keeper, state };
}

/** The live channel tells only that something changed; the draft itself is then asked for. */
function useHearOthers(keeper: DraftKeeper, experiment: ExperimentDetail): void {
  const client = useQueryClient();
  const askedFor = useRef(0);
  useEffect(() => {
    const isNews = experiment.updatedAt > keeper.knownAtMs;
    keeper.hear(experiment);
    if (isNews && askedFor.current !== experiment.updatedAt) {
      askedFor.current = experiment.updatedAt;
      void client.invalidateQueries({ queryKey: queryKeys.experiment(experiment.id) });
    }
  }, [keeper, experiment, client]);
}

function useSaveWhenHidden(keeper: DraftKeeper): void {
  useEffect(() => {
    const save = () => {
      if (document.visibilityState === 'hidden') void keeper.flush();
    };
    document.addEventListener('visibilitychange', save);
    return () => document.removeEventListener('visibilitychange', save);
  }, [keeper]);
}
