import { appendFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { within } from '@mqttlab/shared/kit/waiting';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { loadFailure, tcpFailure, tlsFailure } from '../processes/failures.ts';
import { makeTlsOptions } from './connect-options.ts';
import { findMismatch, readNegotiatedTls } from './negotiated.ts';

/** Provides a role's TLS options, which are the same for every connection or contain an earlier session. */
export interface TlsProvider {
  /** Returns the options for the next connection. */
  take(): ConnectionOptions;
  /** Called with every TLS socket immediately after its creation, so that its session can be stored for later ones. */
  watch(socket: TLSSocket): void;
}

/** Provides the same options for every connection, for full handshakes. */
export function makeFixedTls(options: ConnectionOptions): TlsProvider {
  return { take: () => options, watch: () => {} };
}

/** `keyLogPath` is the file for the keys of every watched connection, in the format of SSLKEYLOGFILE. */
type ClientTlsCommand = Pick<
  PrepareClient,
  'spec' | 'broker' | 'authority' | 'serverName' | 'certificate'
> & { keyLogPath?: string };

/**
 * Makes the TLS options for one role's connections; null without TLS. They contain a session if the trial
 * resumes sessions, and none if each handshake must be full. May open a separate connection to obtain a
 * ticket, so call this before measuring. Rejects with Failure if OpenSSL refuses the parameters or the broker
 * sends no ticket.
 */
export async function makeClientTls(command: ClientTlsCommand): Promise<TlsProvider | null> {
  const { spec, broker } = command;
  if (spec.security === 'plain') return null;
  const tls = makeOptions(command);
  if (spec.session !== 'resumed') return keepKeys(makeFixedTls(tls), command);
  const sessions = new SessionStore({ spec, broker, tls });
  await sessions.prepare();
  return keepKeys(sessions, command);
}

/** Of some 2,000 connections. */
const maxKeyLogBytes = 1024 * 1024;

function keepKeys(provider: TlsProvider, { keyLogPath: path }: ClientTlsCommand): TlsProvider {
  if (path === undefined) return provider;
  let bytes = 0;
  return {
    take: () => provider.take(),
    watch(socket) {
      provider.watch(socket);
      socket.on('keylog', (line: Buffer) => {
        bytes += line.length;
        if (bytes <= maxKeyLogBytes) appendFileSync(path, line, { mode: 0o600 });
      });
    },
  };
}

function makeOptions({ spec, authority, serverName, certificate }: ClientTlsCommand): ConnectionOptions {
  if (authority === null) {
    throw loadFailure('tls-handshake', 'No CA certificate is configured to verify the broker.');
  }
  try {
    return makeTlsOptions(spec, { authority, serverName, certificate });
  } catch (error) {
    throw loadFailure(
      'tls-handshake',
      `OpenSSL rejected the suite, group, certificate or CA certificate: ${reasonOf(error)}`,
    );
  }
}

const timeoutMs = 15_000;
/**
 * A broker sends tickets with its first flight after the handshake; this timeout is long enough for a slow
 * device.
 */
const ticketTimeoutMs = 5_000;

interface SessionStoreOptions {
  spec: TrialSpec;
  broker: { address: string; port: number };
  /** Options from `makeTlsOptions`, without a session. */
  tls: ConnectionOptions;
}

/**
 * The session that the connections of one load worker resume. The first ticket is obtained on a separate
 * connection without messages, which is not counted. Watched connections provide newer tickets, so that none
 * expires. One ticket can be used for any number of connections, because brokers keep no list of used
 * tickets.
 */
class SessionStore implements TlsProvider {
  readonly #options: SessionStoreOptions;
  #session: Buffer | null = null;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
  }

  /** Opens the connection for the first ticket, unless there is one; rejects with Failure. */
  async prepare(): Promise<void> {
    this.#session ??= await this.#obtain();
  }

  /** Returns options that resume the session after `prepare`. */
  take(): ConnectionOptions {
    const session = this.#session;
    return session === null ? this.#options.tls : { ...this.#options.tls, session };
  }

  watch(socket: TLSSocket): void {
    socket.on('session', (session) => {
      this.#session = session;
    });
  }

  async #obtain(): Promise<Buffer> {
    const { address: host, port } = this.#options.broker;
    const tcp = connectTcp({ host, port, noDelay: true });
    try {
      const opened = settled(tcp, 'connect').catch((error) =>
        Promise.reject(tcpFailure(error, `${host}:${port}`)),
      );
      await within(timeoutMs, () => tooLong('the broker did not accept the connection'), opened);
      return await this.#handshake(tcp);
    } finally {
      tcp.destroy();
    }
  }

  async #handshake(tcp: Socket): Promise<Buffer> {
    const { spec, tls } = this.#options;
    const socket = connectTls({ ...tls, socket: tcp });
    // TLS 1.2 sends the ticket within the handshake, TLS 1.3 after it (RFC 8446 section 4.6.1).
    const ticket = new Promise<Buffer>((resolve) => socket.once('session', resolve));
    const failed = new Promise<never>((_resolve, reject) => {
      socket.once('error', (error) => reject(tlsFailure(error)));
      socket.once('close', () => reject(tlsFailure(new Error('the broker closed the connection'))));
    });
    failed.catch(() => {});
    // Without a reader, data that arrives after the handshake would not be processed.
    socket.resume();
    const done = settled(socket, 'secureConnect').catch((error) => Promise.reject(tlsFailure(error)));
    await within(timeoutMs, () => tooLong('the TLS handshake did not complete'), done);
    const failure = findMismatch({ ...spec, session: 'full' }, readNegotiatedTls(socket, spec));
    if (failure !== null) throw new Failure(failure);
    const session = await within(ticketTimeoutMs, noTicket, Promise.race([ticket, failed]));
    socket.end();
    return session;
  }
}

function settled(socket: Socket | TLSSocket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the broker closed the connection')));
  });
}

function noTicket(): Failure {
  return loadFailure(
    'negotiation-mismatch',
    'The broker sent no session ticket, so sessions cannot be resumed.',
  );
}

function tooLong(what: string): Failure {
  return loadFailure('timeout', `Timed out after ${timeoutMs / 1000} s: ${what}.`);
}
