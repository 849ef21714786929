import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { Backoff } from '@mqttlab/shared/kit/backoff';
import { Failure } from '@mqttlab/shared/kit/failure';
import type { DeviceSsh } from '@mqttlab/shared/messages/devices';
import { layout } from './agent-service.ts';
import { toDeviceFailure } from './device-errors.ts';
import { type LoginRequest, logInAsServer, type ServerKey } from './log-in.ts';
import type { SshSession } from './ssh-session.ts';

interface DeviceSessionOptions {
  key: ServerKey;
  request: LoginRequest;
  /**
   * "direct": the session only sends the server's address to the agent; "tunnel": it also carries the agent's
   * connection.
   */
  connection: DeviceSsh['connection'];
  /** Returns the address of this server for a "direct" device, followed by the certificate to pin. */
  directAddress: (localAddress: string) => string;
  /** Called with each agent connection through the tunnel. */
  onAgent: (stream: Duplex) => void;
  onChange: () => void;
  retryMs?: number;
  retryMostMs?: number;
}

/** Wait after a refused key, in ms; only a user can fix the cause. */
const refusedRetryMs = 60_000;

/**
 * The server's session with one device, kept open until it is stopped. It reconnects automatically. A changed
 * host key ends it permanently.
 */
export class DeviceSession {
  readonly #options: DeviceSessionOptions;
  #stopping = new AbortController();
  #ended: Promise<void> = Promise.resolve();
  #running = false;
  #state: DeviceSsh['session'] = 'none';
  #trouble: string | null = null;
  /** Outcome of the current connection attempt, or of the next attempt. */
  #attempt = makeAttempt();

  constructor(options: DeviceSessionOptions) {
    this.#options = options;
  }

  get state(): DeviceSsh['session'] {
    return this.#state;
  }

  get trouble(): string | null {
    return this.#trouble;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#stopping = new AbortController();
    this.#ended = this.#keep(this.#stopping.signal);
  }

  /** Stops the session and rejects `ready`; resolves when the session has ended. Idempotent. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#stopping.abort();
    this.#endAttempt().reject(stopped());
    await this.#ended;
    this.#change('none', null);
  }

  /**
   * Resolves when the agent has the server's address. Rejects with the error of the first failed attempt, or with
   * Failure 'stopped' if the session is not running.
   */
  get ready(): Promise<void> {
    if (!this.#running) return Promise.reject(stopped());
    return this.#state === 'connected' ? Promise.resolve() : this.#attempt.promise;
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const { retryMs: firstMs = 500, retryMostMs: longestMs = 15_000 } = this.#options;
    const backoff = new Backoff({ firstMs, longestMs });
    while (!signal.aborted) {
      this.#change('connecting', this.#trouble);
      const outcome = await this.#connectOnce(signal, () => backoff.reset());
      if (signal.aborted || outcome === 'for-good') return;
      await wait(outcome === 'refused' ? refusedRetryMs : backoff.next(), undefined, { signal }).catch(
        () => {},
      );
    }
  }

  /** Runs one session from start to end. */
  async #connectOnce(signal: AbortSignal, onReady: () => void): Promise<'again' | 'refused' | 'for-good'> {
    let session: SshSession | null = null;
    const end = (): void => session?.end();
    try {
      session = await logInAsServer(this.#options.request, this.#options.key, signal);
      if (signal.aborted) return 'again';
      signal.addEventListener('abort', end);
      await this.#writeServerAddress(session);
      onReady();
      this.#change('connected', null);
      this.#endAttempt().resolve();
      // Without a tunnel there is nothing else to do, because the agent connects directly.
      if (this.#options.connection === 'direct') return 'for-good';
      await session.closed;
      this.#change('connecting', 'The SSH session ended.');
      return 'again';
    } catch (error) {
      if (signal.aborted) return 'again';
      const { code, message } = toDeviceFailure(error);
      const changed = code === 'host-key-changed';
      const refused = code === 'key-refused';
      this.#change(changed ? 'host-key-changed' : refused ? 'refused' : 'connecting', message);
      this.#endAttempt().reject(error);
      return changed ? 'for-good' : refused ? 'refused' : 'again';
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  async #writeServerAddress(session: SshSession): Promise<void> {
    const { connection, directAddress, onAgent } = this.#options;
    const address =
      connection === 'direct'
        ? directAddress(session.localAddress)
        : `http://127.0.0.1:${await session.forwardFromDevice(onAgent)}`;
    await session.mustRun(['sh', '-c', 'cat > "$1"', 'server', layout.server], { input: address });
  }

  #change(state: DeviceSsh['session'], trouble: string | null): void {
    if (state === this.#state && trouble === this.#trouble) return;
    this.#state = state;
    this.#trouble = trouble;
    this.#options.onChange();
  }

  #endAttempt(): PromiseWithResolvers<void> {
    const attempt = this.#attempt;
    this.#attempt = makeAttempt();
    return attempt;
  }
}

function makeAttempt(): PromiseWithResolvers<void> {
  const attempt = Promise.withResolvers<void>();
  // Often no caller is waiting for the promise.
  attempt.promise.catch(() => {});
  return attempt;
}

function stopped(): Failure {
  return new Failure({
    code: 'stopped',
    message: 'The session with the device was stopped.',
    remedy: 'Try again.',
  });
}
