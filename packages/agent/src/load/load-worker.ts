import { makeLoadDriver } from '../clients/make-driver.ts';
import { toFailure } from '../run-failure.ts';
import { loadFailure, makeLoadFailure } from './failures.ts';
import type { LoadDriver } from './load-driver.ts';
import type { MicrosecondClock } from './monotonic.ts';
import type { LoadMessage, LoadProgress, LoadRequest, LoadRequests } from './worker-protocol.ts';

const progressEveryMs = 1_000;

export interface LoadWorkerOptions {
  clock: MicrosecondClock;
  send: (message: LoadMessage) => void;
}

/** Answers the supervisor's requests, one after the other. */
export class LoadWorker {
  readonly #options: LoadWorkerOptions;
  #client: LoadDriver | null = null;
  #ticker: NodeJS.Timeout | null = null;
  /** null before the first progress was told. */
  #last: { atMs: number; all: number; wireBytes: number | null } | null = null;

  constructor(options: LoadWorkerOptions) {
    this.#options = options;
  }

  async handle(request: LoadRequest): Promise<void> {
    const { id } = request;
    try {
      this.#options.send({ type: 'answer', id, ok: true, data: await this.#answer(request) });
    } catch (error) {
      const failure = toFailure(error, makeLoadFailure('load-worker', ''));
      this.#options.send({ type: 'answer', id, ok: false, failure });
    }
  }

  /** Ends everything; idempotent. */
  async stop(): Promise<void> {
    if (this.#ticker !== null) clearInterval(this.#ticker);
    await this.#client?.finish();
  }

  async #answer(request: LoadRequest): Promise<LoadRequests[typeof request.kind]['answer']> {
    if (request.kind === 'prepare') {
      const { send, clock } = this.#options;
      const { folder = null, ...command } = request.command;
      const client = makeLoadDriver({
        ...{ command, folder, clock },
        onPhase: (phase, durationUs) => send({ type: 'phase', phase, durationUs }),
        onTrouble: (failure) => send({ type: 'trouble', failure }),
      });
      this.#client = client;
      await client.prepare();
      return null;
    }
    const client = this.#client;
    if (client === null)
      throw loadFailure('load-worker', `The worker was told to ${request.kind} before prepare.`);
    if (request.kind === 'connect') {
      const connected = await client.connect();
      return { ...connected, processes: client.processes };
    }
    if (request.kind === 'drain') return await client.drain(request.command.expected);
    if (request.kind === 'start') {
      client.start(request.command);
      this.#ticker = setInterval(() => this.#tellProgress(client), progressEveryMs);
      return null;
    }
    if (this.#ticker !== null) clearInterval(this.#ticker);
    return await client.finish();
  }

  #tellProgress(client: LoadDriver): void {
    const progress = client.progress();
    if (progress === null) return;
    this.#options.send({ type: 'progress', progress: this.#ratesOf(client, progress) });
  }

  #ratesOf(client: LoadDriver, now: NonNullable<ReturnType<LoadDriver['progress']>>): LoadProgress {
    const bytes = client.wireBytes();
    const wireBytes = bytes && bytes.sent + bytes.received;
    const seconds = Math.max(1e-3, (now.atMs - (this.#last?.atMs ?? 0)) / 1000);
    const rate = (after: number, before: number) => Math.max(0, (after - before) / seconds);
    const last = this.#last;
    const first = last === null;
    const progress: LoadProgress = {
      role: client.role,
      atMs: Math.round(now.atMs),
      messages: now.messages,
      messagesPerSecond: first ? 0 : rate(now.all, last.all),
      late: now.late,
      latencyMs: now.latencyMs,
      wireBytesPerSecond:
        first || wireBytes === null || last.wireBytes === null ? null : rate(wireBytes, last.wireBytes),
    };
    this.#last = { atMs: now.atMs, all: now.all, wireBytes };
    return progress;
  }
}
