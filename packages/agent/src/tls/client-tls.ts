import type { ConnectionOptions } from 'node:tls';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { loadFailure } from '../base/load-failures.ts';
import { reasonOf } from '../runs/run-failure.ts';
import { makeTlsOptions } from './connect-options.ts';
import { SessionStore } from './session-store.ts';
import { makeFixedTls, type TlsProvider } from './tls-provider.ts';

export type ClientTlsCommand = Pick<
  PrepareClient,
  'spec' | 'broker' | 'authority' | 'serverName' | 'certificate'
>;

/**
 * The TLS of one role's connections, null when plain: with a session where the Trial resumes, without one where each
 * handshake is to be full. May open a connection of its own for a ticket, so it belongs before whatever is measured.
 * Rejects with RunFailure when OpenSSL refuses what is asked or the broker gives no ticket.
 */
export async function makeClientTls(command: ClientTlsCommand): Promise<TlsProvider | null> {
  const { spec, broker } = command;
  if (spec.security === 'plain') return null;
  const tls = makeOptions(command);
  if (spec.session !== 'resumed') return makeFixedTls(tls);
  const sessions = new SessionStore({ spec, broker, tls });
  await sessions.prepare();
  return sessions;
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
