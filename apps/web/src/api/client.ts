import type { Answer, Call, EndpointKey } from '@mqttlab/shared/messages/api';
import { ApiError, makeApiClient, type Sending } from '@mqttlab/shared/messages/api-client';
import type { QueryKey } from '@tanstack/react-query';

const unreachable = {
  title: 'Server not reachable',
  detail: 'The server did not answer. Everything saved is kept.',
  remedy: 'Check that mqttlab is still running, then try again.',
};

const client = makeApiClient({
  server: '',
  token: null,
  isTolerant: true,
  // In a separate file, loaded with the first call: the first page does not wait for it.
  loadEndpoints: async () => (await import('@mqttlab/shared/messages/api')).endpoints,
  unreachable: () => unreachable,
  withoutReason: () => unreachable,
  unknownForm: () =>
    new ApiError({
      type: 'about:blank',
      status: 0,
      issues: [],
      title: 'Unknown answer',
      detail: 'The page does not understand the server’s answer. Nothing that was saved is lost.',
      remedy: 'Reload the page, so that page and server have the same version.',
    }),
});

/** Calls an endpoint of the REST API. Throws ApiError. */
export const { call } = client;

/** Parameters of a call: `{ params, query, body }`, as the endpoint declares them. */
export type CallArgs<Key extends EndpointKey> = Sending<Key>;

/** Parameters are optional if the endpoint requires none. */
export type OptionalArgs<Key extends EndpointKey> =
  Record<never, never> extends Call<Key> ? CallArgs<Key> | undefined : CallArgs<Key>;

/** Like `call`, but an experiment is read with all its trials and runs. */
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

/** The cache key of an answer; without arguments, the prefix of all answers of the endpoint. */
export function keyOf<Key extends EndpointKey>(endpoint: Key, args?: CallArgs<Key>): QueryKey {
  return args === undefined || Object.keys(args).length === 0 ? [endpoint] : [endpoint, args];
}

/** A request that was sent while the code that uses its answer was still loading. */
export type Asked = { queryKey: QueryKey; answer: Promise<unknown> };

export function ask<Key extends EndpointKey>(endpoint: Key, args: CallArgs<Key>): Asked {
  return { queryKey: keyOf(endpoint, args), answer: read(endpoint, args) };
}

/** Every cached answer about one experiment. */
export const keysOfExperiment = (id: number): QueryKey[] => [
  keyOf('GET /experiments/{id}', { params: { id } }),
  keyOf('GET /experiments/{id}/log', { params: { id } }),
  keyOf('GET /experiments/{id}/report', { params: { id } }),
];

/** Comparisons of any experiments. */
export const comparisonEndpoints = ['GET /compare', 'GET /compare/series', 'GET /compare/window'] as const;
