import { endpoints } from '@mqttlab/shared/messages/api';
import { type ApiClient, makeApiClient } from '@mqttlab/shared/messages/api-client';

export type Api = ApiClient;

/** A client of the public REST API. Throws ApiError, and ZodError where an answer has not the form of its schema. */
export function makeApi(server: string, token: string | null): Api {
  return makeApiClient({
    server,
    token,
    loadEndpoints: async () => endpoints,
    unreachable: (error) => ({
      title: 'Server not reachable',
      detail: `no mqttlab answers at ${server} (${reasonOf(error)}).`,
      remedy: /certificate|self-signed/i.test(reasonOf(error))
        ? 'Set MQTTLAB_AUTHORITY to the certificate file that the server printed when it started (tls/authority.pem).'
        : 'Start it with "npm start", or name its address with --server or MQTTLAB_URL: https://127.0.0.1:8080 if it was started with another HOST.',
    }),
    withoutReason: (status) => ({
      title: `HTTP ${status}`,
      detail: `the server answered ${status} without a reason`,
      remedy: 'Check that the address is that of mqttlab.',
    }),
    unknownForm: (error) => error,
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
}
