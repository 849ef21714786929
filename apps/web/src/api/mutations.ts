import type { ExternalBroker, ExternalBrokerSettings } from '@mqttlab/shared/domain/devices/external-broker';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type {
  CreateView,
  ExperimentAction,
  PatchExperiment,
  PatchRun,
  View,
} from '@mqttlab/shared/messages/http';
import type { CreateShare, Share } from '@mqttlab/shared/messages/shares';
import { type QueryClient, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ApiError, api } from './client.ts';
import { queryKeys } from './query-keys.ts';

type Mutation<Variables, Data> = UseMutationResult<Data, ApiError, Variables>;

/** What the server answered replaces what is kept; lists are asked for again. */
export function keepExperiment(client: QueryClient, experiment: ExperimentDetail): void {
  client.setQueryData(queryKeys.experiment(experiment.id), experiment);
  void client.invalidateQueries({ queryKey: queryKeys.experimentLists });
}

/** start, pause, resume, stop-after-run, cancel, retry-failed, clone, restore. */
export function useExperimentAction(): Mutation<{ id: number; action: ExperimentAction }, ExperimentDetail> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, action }) => api.act(id, action),
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}

/** Name, tags and notes. */
export function usePatchExperiment(): Mutation<{ id: number; change: PatchExperiment }, ExperimentDetail> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }) => api.patchExperiment(id, change),
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}

/** Soft: the `restore` action brings it back. */
export function useDeleteExperiment(): Mutation<number, void> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id) => api.deleteExperiment(id),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.experimentLists }),
  });
}

export function useCreateExperiment(): Mutation<void, ExperimentDetail> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.createExperiment(),
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}

/** The text of a plan file, YAML or JSON. */
/** Notes of a run, and whether it counts; comparisons and reports of its experiment are then asked for again. */
export function usePatchRun(): Mutation<{ id: number; change: PatchRun }, RunSummary> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }) => api.patchRun(id, change),
    onSuccess: ({ id, experimentId }) =>
      Promise.all(
        [queryKeys.run(id), queryKeys.experiment(experimentId), queryKeys.compareAll].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export function useCreateView(): Mutation<CreateView, View> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: api.createView,
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.views }),
  });
}

export function useDeleteView(): Mutation<number, void> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: api.deleteView,
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.views }),
  });
}

/** A research bundle becomes an experiment with its runs. */
export function useImportBundle(): Mutation<{ file: Blob; key: string }, ExperimentDetail> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: api.importBundle,
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}

export function useImportPlan(): Mutation<string, ExperimentDetail> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (text) => api.importPlan(text),
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}

export function useStartTour(): Mutation<void, ExperimentDetail> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.startTour(),
    onSuccess: (experiment) => keepExperiment(client, experiment),
  });
}

export function useCreateShare(): Mutation<CreateShare, Share> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (share) => api.createShare(share),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.shares }),
  });
}

export function useSetExternalBroker(testbedId: string): Mutation<ExternalBrokerSettings, ExternalBroker> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settings) => api.setExternalBroker(testbedId, settings),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.testbeds }),
  });
}

export function useRemoveExternalBroker(testbedId: string): Mutation<void, void> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.removeExternalBroker(testbedId),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.testbeds }),
  });
}

export function useRevokeShare(): Mutation<string, void> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token) => api.revokeShare(token),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.shares }),
  });
}
