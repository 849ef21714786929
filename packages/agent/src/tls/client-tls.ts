import type { ConnectionOptions } from 'node:tls';
import type { PrepareClient } from '@mqttlab/shared/protocol/agent';
import { loadFailure } from '../load/failures.ts';
import { reasonOf } from '../run-failure.ts';
import { makeTlsOptions } from './connect-options.ts';
import { SessionStore } from './session-store.ts';

export type ClientTlsCommand = Pick<
  PrepareClient,
  'spec' | 'broker' | 'authority' | 'serverName' | 'certificate'
>;

/**
 * Gives the TLS options of the next connection, null when plain: with a session where the Trial resumes, without one
 * where each handshake is to be full. The first call may open a connection of its own for a ticket, so it belongs
 * before whatever is measured. Throws RunFailure when OpenSSL refuses what is asked; what is given rejects with it.
 */
export function makeClientTls(command: ClientTlsCommand): () => Promise<ConnectionOptions | null> {
  const { spec, broker } = command;
  const tls = spec.security === 'plain' ? null : makeOptions(command);
  if (tls === null || spec.session !== 'resumed') return async () => tls;
  const sessions = new SessionStore({ spec, broker, tls });
  return () => sessions.connectOptions();
}

function makeOptions({ spec, authority, serverName, certificate }: ClientTlsCommand): ConnectionOptions {
  if (authority === null) {
    throw loadFailure('tls-handshake', 'No authority was given to check the broker with.');
  }
  try {
    return makeTlsOptions(spec, { authority, serverName, certificate });
  } catch (error) {
    throw loadFailure(
      'tls-handshake',
      `OpenSSL refuses suite, group, certificate or authority: ${reasonOf(error)}`,
    );
  }
}
