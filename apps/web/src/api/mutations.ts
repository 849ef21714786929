import type { ExternalBroker, ExternalBrokerSettings } from '@mqttlab/shared/domain/devices/external-broker';
import type { ExternalDevice } from '@mqttlab/shared/domain/devices/external-device';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { ExperimentAction, PatchExperiment, PatchRun } from '@mqttlab/shared/messages/http';
import {
  type QueryClient,
  type QueryKey,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { api, call } from './client.ts';
import { queryKeys } from './query-keys.ts';

export type Mutation<Variables, Data> = UseMutationResult<Data, ApiError, Variables>;

/** Stores the server's answer in place of the cached experiment; lists, and pages it did not come with, are read again. */
export function keepExperiment(
  client: QueryClient,
  { nextRuns, nextTrials, ...experiment }: ExperimentDetail,
): void {
  const queryKey = queryKeys.experiment(experiment.id);
  if (nextRuns === undefined && nextTrials === undefined) client.setQueryData(queryKey, experiment);
  else {
    client.setQueryData<ExperimentDetail>(
      queryKey,
      (old) => old && { ...experiment, plan: old.plan ?? experiment.plan, runs: old.runs },
    );
    void client.invalidateQueries({ queryKey, exact: true });
  }
  void client.invalidateQueries({ queryKey: queryKeys.experimentLists });
}

/** A call after which these are asked for again. */
export function useChange<Variables, Data>(
  change: (variables: Variables) => Promise<Data>,
  changed: readonly QueryKey[] | ((data: Data) => readonly QueryKey[]),
): Mutation<Variables, Data> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (variables) => change(variables),
    onSuccess: (data) =>
      Promise.all(
        (typeof changed === 'function' ? changed(data) : changed).map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

/** A call that answers with an experiment. */
export function useExperimentChange<Variables>(
  change: (variables: Variables) => Promise<ExperimentDetail>,
): Mutation<Variables, ExperimentDetail> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (variables) => change(variables),
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}

/** start, pause, resume, stop-after-run, cancel, retry-failed, rerun-flagged, clone, restore. */
export const useExperimentAction = () =>
  useExperimentChange(({ id, action }: { id: number; action: ExperimentAction }) => api.act(id, action));

/** Name, tags and notes. */
export const usePatchExperiment = () =>
  useExperimentChange(({ id, change }: { id: number; change: PatchExperiment }) =>
    api.patchExperiment(id, change),
  );

export const useCreateExperiment = () => useExperimentChange<void>(() => api.createExperiment());

/** A research bundle becomes an experiment with its runs. */
export const useImportBundle = () => useExperimentChange(api.importBundle);

/** The text of a plan file, YAML or JSON. */
export const useImportPlan = () => useExperimentChange((text: string) => api.importPlan(text));

export const useStartTour = () => useExperimentChange<void>(() => api.startTour());

/** Soft: the `restore` action brings it back. */
export const useDeleteExperiment = () => useChange(api.deleteExperiment, [queryKeys.experimentLists]);

/** Notes of a run, and whether it counts; comparisons and reports of its experiment are then asked for again. */
export function usePatchRun(): Mutation<{ id: number; change: PatchRun }, RunSummary> {
  return useChange(
    ({ id, change }) => api.patchRun(id, change),
    ({ id, experimentId }) => [queryKeys.run(id), queryKeys.experiment(experimentId), queryKeys.compareAll],
  );
}

export const useCreateView = () => useChange(api.createView, [queryKeys.views]);

export const useDeleteView = () => useChange(api.deleteView, [queryKeys.views]);

export const useCreateShare = () => useChange(api.createShare, [queryKeys.shares]);

export const useRevokeShare = () => useChange(api.revokeShare, [queryKeys.shares]);

export function useSetExternalBroker(id: string): Mutation<ExternalBrokerSettings, ExternalBroker> {
  return useChange(
    (body) => call('PUT /testbeds/{id}/external-broker', { params: { id }, body }),
    [queryKeys.testbeds],
  );
}

export function useSetExternalDevice(id: string): Mutation<ExternalDevice, unknown> {
  return useChange(
    (body) => call('PUT /testbeds/{id}/external-device', { params: { id }, body }),
    [queryKeys.testbeds],
  );
}

export function useRemoveExternalDevice(id: string): Mutation<void, void> {
  return useChange(
    () => call('DELETE /testbeds/{id}/external-device', { params: { id } }),
    [queryKeys.testbeds],
  );
}

export function useRemoveExternalBroker(id: string): Mutation<void, void> {
  return useChange(
    () => call('DELETE /testbeds/{id}/external-broker', { params: { id } }),
    [queryKeys.testbeds],
  );
}
