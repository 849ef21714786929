import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { Answer, Call, EndpointKey } from '@mqttlab/shared/messages/api';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import {
  type QueryClient,
  type QueryKey,
  skipToken,
  type UseMutationResult,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type CallArgs, call, keyOf, type OptionalArgs, read } from './client.ts';

type QueryOptions<Data, Selected> = Pick<
  UseQueryOptions<Data, ApiError, Selected>,
  'select' | 'placeholderData' | 'refetchInterval' | 'staleTime' | 'gcTime' | 'retry'
> & {
  /** Leaving the page closes the connection, and with it ends the work on the server. */
  isAborted?: boolean;
  /** Another value requests the answer again. */
  version?: string;
};

type ApiParameters<Key extends EndpointKey, Selected> =
  Record<never, never> extends Call<Key>
    ? [args?: CallArgs<Key> | null, options?: QueryOptions<Answer<Key>, Selected>]
    : [args: CallArgs<Key> | null, options?: QueryOptions<Answer<Key>, Selected>];

/** Answers that change more rarely than others. */
const staleMs: Readonly<Partial<Record<EndpointKey, number>>> = {
  'GET /session': 60_000,
  'GET /version': Number.POSITIVE_INFINITY,
};

/**
 * Returns the answer of an endpoint from the cache, or requests it. `null` as arguments requests nothing.
 *
 *     const run = useApi('GET /runs/{id}', { params: { id: 27 } });
 */
export function useApi<Key extends EndpointKey, Selected = Answer<Key>>(
  endpoint: Key,
  ...[args, options = {}]: ApiParameters<Key, Selected>
): UseQueryResult<NoInfer<Selected>, ApiError> {
  const { isAborted, version, ...rest } = options;
  const queryKey = args === null ? [endpoint, null] : keyOf(endpoint, args);
  const staleTime = staleMs[endpoint];
  return useQuery<Answer<Key>, ApiError, Selected>({
    queryKey: version === undefined ? queryKey : [...queryKey, version],
    queryFn:
      args === null ? skipToken : (context) => read(endpoint, args, isAborted ? context.signal : undefined),
    ...(staleTime !== undefined && { staleTime }),
    ...rest,
  });
}

/** Endpoints whose cached answers a call makes stale: all of them, or those of a key. */
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
 * A call that changes something on the server. Cached answers that it changes are requested again.
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

/** Every cached answer about one experiment. */
export const keysOfExperiment = (id: number): QueryKey[] => [
  keyOf('GET /experiments/{id}', { params: { id } }),
  keyOf('GET /experiments/{id}/log', { params: { id } }),
  keyOf('GET /experiments/{id}/report', { params: { id } }),
];

/** Comparisons of any experiments. */
export const comparisonEndpoints = ['GET /compare', 'GET /compare/series', 'GET /compare/window'] as const;

/** Replaces the cached experiment with an answer of the server; lists and pages that the answer lacks are requested again. */
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

/** For calls whose answer is an experiment. */
export const answersExperiment = {
  changes: (experiment: ExperimentDetail, _args: unknown, client: QueryClient): Changes => {
    storeExperiment(client, experiment);
    return [];
  },
};
