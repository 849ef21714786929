import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { Answer, EndpointKey } from '@mqttlab/shared/messages/api';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import {
  type QueryClient,
  type QueryKey,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { type CallArgs, call, keyOf, type OptionalArgs } from './client.ts';

/**
 * Endpoints whose cached responses a call makes stale: either all responses of an endpoint, or the responses
 * for one key.
 */
type Changes = readonly (EndpointKey | QueryKey)[];

type CallOptions<Key extends EndpointKey> = {
  changes?: Changes | ((answer: Answer<Key>, args: CallArgs<Key>, client: QueryClient) => Changes);
};

export type ApiCall<Key extends EndpointKey> = UseMutationResult<
  Answer<Key>,
  ApiError,
  // biome-ignore lint/suspicious/noConfusingVoidType: `mutate()` without an argument.
  undefined extends OptionalArgs<Key> ? OptionalArgs<Key> | void : CallArgs<Key>
>;

/**
 * Returns a call that changes something on the server. Then requests the cached responses in `changes` again.
 *
 *     const remove = useCall('DELETE /views/{id}', { changes: ['GET /views'] });
 *     remove.mutate({ params: { id: 3 } });
 */
export function useCall<Key extends EndpointKey>(
  endpoint: Key,
  { changes = [] }: CallOptions<Key> = {},
): ApiCall<Key> {
  const client = useQueryClient();
  const result = useMutation<Answer<Key>, ApiError, CallArgs<Key>>({
    mutationFn: (args) =>
      (call as (key: Key, args: CallArgs<Key>) => Promise<Answer<Key>>)(endpoint, args ?? {}),
    onSuccess: (answer, args) => {
      const changed = typeof changes === 'function' ? changes(answer, args, client) : changes;
      return Promise.all(
        changed.map((key) =>
          client.invalidateQueries({ queryKey: typeof key === 'string' ? keyOf(key) : key }),
        ),
      );
    },
  });
  return result as unknown as ApiCall<Key>;
}

/** Replaces the cached experiment with a response. Requests lists and missing pages again. */
export function storeExperiment(
  client: QueryClient,
  { nextRuns, nextTrials, ...experiment }: ExperimentDetail,
): void {
  const queryKey = keyOf('GET /experiments/{id}', { params: { id: experiment.id } });
  if (nextRuns === undefined && nextTrials === undefined) client.setQueryData(queryKey, experiment);
  else {
    client.setQueryData<ExperimentDetail>(
      queryKey,
      (old) => old && { ...experiment, plan: old.plan ?? experiment.plan, runs: old.runs },
    );
    void client.invalidateQueries({ queryKey, exact: true });
  }
  void client.invalidateQueries({ queryKey: keyOf('GET /experiments') });
}

/** For calls that return an experiment. */
export const answersExperiment = {
  changes: (experiment: ExperimentDetail, _args: unknown, client: QueryClient): Changes => {
    storeExperiment(client, experiment);
    return [];
  },
};
