import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { endpoints } from '@mqttlab/shared/messages/api';
import { type ApiClient, makeApiClient } from '@mqttlab/shared/messages/api-client';

export type Api = ApiClient;

/**
 * Creates a client of the public REST API. The client throws ApiError, or ZodError if a response does not
 * match its schema.
 */
export function makeApi(server: string, token: string | null): Api {
  return makeApiClient({
    server,
    token,
    loadEndpoints: async () => endpoints,
    unreachable: (error) => ({
      title: 'Server not reachable',
      detail: `no mqttlab server responds at ${server} (${reasonOf(error)}).`,
      remedy: /certificate|self-signed/i.test(reasonOf(error))
        ? 'Set MQTTLAB_AUTHORITY to the certificate file that the server printed when it started (tls/authority.pem).'
        : 'Start it with "npm start", or set its address with --server or MQTTLAB_URL. If it was started with another HOST, the address begins with https://; if it was started with another PORT, the address ends with that port.',
    }),
    withoutReason: (status) => ({
      title: `HTTP ${status}`,
      detail: `the server responded with ${status} and gave no reason`,
      remedy: 'Check that this is the address of mqttlab.',
    }),
    unknownForm: (error) => error,
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
}

/**
 * Makes this process also trust the CA certificate of a server that created its own: MQTTLAB_AUTHORITY is the
 * path of its PEM file.
 */
export function trustAuthority({ MQTTLAB_AUTHORITY: path }: NodeJS.ProcessEnv): void {
  if (!path) return;
  try {
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(path, 'utf8')]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`MQTTLAB_AUTHORITY: ${path} cannot be read as a certificate (${reason}).`);
  }
}
