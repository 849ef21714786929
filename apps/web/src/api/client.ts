import type { Answer, Call, EndpointKey } from '@mqttlab/shared/messages/api';
import { ApiError, makeApiClient, type Sending } from '@mqttlab/shared/messages/api-client';
import type { QueryKey } from '@tanstack/react-query';

const unreachable = {
  title: 'Server not reachable',
  detail: 'The server did not answer. Saved data is not affected.',
  remedy: 'Check that mqttlab is still running, then try again.',
};

const client = makeApiClient({
  server: '',
  token: null,
  isTolerant: true,
  // In a separate file that is loaded with the first call, so that the first page does not wait for it.
  loadEndpoints: async () => (await import('@mqttlab/shared/messages/api')).endpoints,
  unreachable: () => unreachable,
  withoutReason: () => unreachable,
  unknownForm: () =>
    new ApiError({
      type: 'about:blank',
      status: 0,
      issues: [],
      title: 'Unexpected response',
      detail: 'The page cannot read the server’s response. Saved data is not affected.',
      remedy: 'Reload the page to get the version that matches the server.',
    }),
});

/** Calls an endpoint of the REST API. Throws ApiError. */
export const { call } = client;

/** Parameters of a call, as declared by the endpoint: `{ params, query, body }`. */
export type CallArgs<Key extends EndpointKey> = Sending<Key>;

/** Parameters are optional if the endpoint requires none. */
export type OptionalArgs<Key extends EndpointKey> =
  Record<never, never> extends Call<Key> ? CallArgs<Key> | undefined : CallArgs<Key>;

/** Like `call`, but reads an experiment with all its trials and runs. */
export function read<Key extends EndpointKey>(
  endpoint: Key,
  args?: CallArgs<Key>,
  signal?: AbortSignal,
): Promise<Answer<Key>> {
  if (endpoint === 'GET /experiments/{id}') {
    return client.wholeExperiment(Number((args?.params as { id: number } | undefined)?.id)) as Promise<
      Answer<Key>
    >;
  }
  const sent = { ...args, ...(signal && { signal }) } as CallArgs<EndpointKey>;
  return (call as (key: EndpointKey, sent: CallArgs<EndpointKey>) => Promise<Answer<Key>>)(endpoint, sent);
}

/**
 * Returns the cache key of a response. Without arguments, it is the prefix of all responses of the endpoint.
 */
export function keyOf<Key extends EndpointKey>(endpoint: Key, args?: CallArgs<Key>): QueryKey {
  return args === undefined || Object.keys(args).length === 0 ? [endpoint] : [endpoint, args];
}

/** A request sent while the code that uses its response was still loading. */
export type Asked = { queryKey: QueryKey; answer: Promise<unknown> };

export function ask<Key extends EndpointKey>(endpoint: Key, args: CallArgs<Key>): Asked {
  return { queryKey: keyOf(endpoint, args), answer: read(endpoint, args) };
}

/** Returns the keys of all cached responses about one experiment. */
export const keysOfExperiment = (id: number): QueryKey[] => [
  keyOf('GET /experiments/{id}', { params: { id } }),
  keyOf('GET /experiments/{id}/log', { params: { id } }),
  keyOf('GET /experiments/{id}/report', { params: { id } }),
];

/** Endpoints that return comparisons. */
export const comparisonEndpoints = ['GET /compare', 'GET /compare/series', 'GET /compare/window'] as const;
