import type { Answer, Call, EndpointKey } from '@mqttlab/shared/messages/api';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import { skipToken, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type CallArgs, keyOf, read } from './client.ts';

type QueryOptions<Data, Selected> = Pick<
  UseQueryOptions<Data, ApiError, Selected>,
  'select' | 'placeholderData' | 'refetchInterval' | 'staleTime' | 'gcTime' | 'retry'
> & {
  /** Leaving the page closes the connection, which cancels the request on the server. */
  isAborted?: boolean;
  /** A new value repeats the request. */
  version?: string;
};

type ApiParameters<Key extends EndpointKey, Selected> =
  Record<never, never> extends Call<Key>
    ? [args?: CallArgs<Key> | null, options?: QueryOptions<Answer<Key>, Selected>]
    : [args: CallArgs<Key> | null, options?: QueryOptions<Answer<Key>, Selected>];

/** How long responses stay fresh, for endpoints whose responses rarely change. */
const staleMs: Readonly<Partial<Record<EndpointKey, number>>> = {
  'GET /session': 60_000,
  'GET /version': Number.POSITIVE_INFINITY,
};

/**
 * Returns the response of an endpoint from the cache, or requests it. `null` as arguments requests nothing.
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
