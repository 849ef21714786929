import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { loadFailure, tcpFailure, tlsFailure } from '../base/load-failures.ts';
import { within } from '../pacing/waiting.ts';
import { RunFailure } from '../runs/run-failure.ts';
import { findMismatch, readNegotiatedTls } from './negotiated.ts';
import type { TlsProvider } from './tls-provider.ts';

const timeoutMs = 15_000;
/** A broker that gives tickets does so with its first flight after the handshake; this is for a slow device. */
const ticketPatienceMs = 5_000;

export interface SessionStoreOptions {
  spec: TrialSpec;
  broker: { address: string; port: number };
  /** As `makeTlsOptions` gives them: without a session. */
  tls: ConnectionOptions;
}

/**
 * The session that the connections of one load worker resume. The first comes from a connection of its own that
 * carries nothing and is counted nowhere; connections that are watched bring newer ones, so that none ends by age.
 * One ticket serves any number of connections: the brokers keep no list of used ones.
 */
export class SessionStore implements TlsProvider {
  readonly #options: SessionStoreOptions;
  #session: Buffer | null = null;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
  }

  get ready(): boolean {
    return this.#session !== null;
  }

  /** Opens the connection that brings the first ticket, unless there is one; rejects with RunFailure. */
  async prepare(): Promise<void> {
    this.#session ??= await this.#obtain();
  }

  /** Resumes once `prepare` is done. */
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
      return await this.#shakeHands(tcp);
    } finally {
      tcp.destroy();
    }
  }

  async #shakeHands(tcp: Socket): Promise<Buffer> {
    const { spec, tls } = this.#options;
    const socket = connectTls({ ...tls, socket: tcp });
    // TLS 1.2 gives the ticket within the handshake, TLS 1.3 after it (RFC 8446 section 4.6.1).
    const ticket = new Promise<Buffer>((resolve) => socket.once('session', resolve));
    const failed = new Promise<never>((_resolve, reject) => {
      socket.once('error', (error) => reject(tlsFailure(error)));
      socket.once('close', () => reject(tlsFailure(new Error('the broker closed the connection'))));
    });
    failed.catch(() => {});
    // Without a reader nothing that comes after the handshake would be looked at.
    socket.resume();
    const done = settled(socket, 'secureConnect').catch((error) => Promise.reject(tlsFailure(error)));
    await within(timeoutMs, () => tooLong('the TLS handshake did not end'), done);
    const failure = findMismatch({ ...spec, session: 'full' }, readNegotiatedTls(socket, spec));
    if (failure !== null) throw new RunFailure(failure);
    const session = await within(ticketPatienceMs, noTicket, Promise.race([ticket, failed]));
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

function noTicket(): RunFailure {
  return loadFailure('negotiation-mismatch', 'The broker gave no session ticket: nothing can be resumed.');
}

function tooLong(what: string): RunFailure {
  return loadFailure('timeout', `Gave up after ${timeoutMs / 1000} s: ${what}.`);
}
