import { writeFileSync } from 'node:fs';
import { isCounted, liveBucketMs } from '@mqttlab/shared/catalogue/workloads';
import { isCoap } from '@mqttlab/shared/domain/plans/trial-levels';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import { LoadClient } from './load/load-client.ts';
import { rehearses } from './load/node-engine.ts';
import { type MicrosecondClock, MonotonicClock } from './load/pacing/clock.ts';
import type {
  LoadDriver,
  LoadDriverOptions,
  LoadMessage,
  LoadProgress,
  LoadRequest,
  LoadRequests,
  PrepareBridgeWorker,
  PrepareWorker,
} from './load/worker-messages.ts';
import { loadFailure, toLoadFailure } from './processes/failures.ts';
import { aesEnvironment, compareAes } from './tls/aes-instructions.ts';

/**
 * Timer slack: sleeps end within 1 µs instead of 50 µs of the due time (proc(5), timerslack_ns; threads
 * inherit it).
 */
const timerSlackNs = 1_000;

/**
 * Runs the load worker's process, which receives requests over IPC and exits on request or with its
 * supervisor.
 */
export function runLoadWorker(): void {
  const send = (message: LoadMessage): void => {
    if (process.connected) process.send?.(message);
  };
  const worker = new LoadWorker({
    clock: new MonotonicClock().calibrate(),
    send,
    rehearses: rehearses(process.env),
  });
  process.on('message', (message: LoadRequest) => void worker.handle(message));
  process.once('disconnect', () => process.exit(0));
  process.once('SIGTERM', () => process.exit(0));
  tightenTimers(send);
  send({ type: 'ready' });
}

function tightenTimers(send: (message: LoadMessage) => void): void {
  try {
    writeFileSync('/proc/self/timerslack_ns', String(timerSlackNs));
  } catch (error) {
    send({ type: 'log', level: 'warn', text: `Timers keep their slack of 50 µs: ${String(error)}` });
  }
}

const progressEveryMs = 1_000;
/**
 * Progress interval of a load that counts connections, in ms: such a load often ends within a second or two.
 */
const countedEveryMs = 200;
/** Only the counts from this interval can be lost if the process is killed. */
const tallyEveryMs = 50;

export interface LoadWorkerOptions {
  clock: MicrosecondClock;
  send: (message: LoadMessage) => void;
  rehearses: boolean;
}

/** Answers the supervisor's requests in order. */
export class LoadWorker {
  readonly #options: LoadWorkerOptions;
  /** null before prepare. */
  #loading: Promise<LoadDriver> | null = null;
  #client: LoadDriver | null = null;
  #everyMs = progressEveryMs;
  #bucketMs: number | null = null;
  /** Local µs. */
  #measureAtUs = 0;
  /** Testbed µs minus local µs. */
  #offsetUs = 0;
  /** Buckets of the second that has not been reported yet. */
  #buckets: NonNullable<LoadProgress['buckets']> = [];
  /** Speed of AES-256-GCM relative to ChaCha20-Poly1305 if AES instructions are disabled. */
  #aes: number | null = null;
  #ticker: NodeJS.Timeout | null = null;
  #tallier: NodeJS.Timeout | null = null;
  /** null before the first progress report. */
  #last: { atMs: number; all: number; wireBytes: number | null } | null = null;

  constructor(options: LoadWorkerOptions) {
    this.#options = options;
  }

  async handle(request: LoadRequest): Promise<void> {
    const { id } = request;
    try {
      this.#options.send({ type: 'answer', id, ok: true, data: await this.#answer(request) });
    } catch (error) {
      const failure = toLoadFailure(error);
      this.#options.send({ type: 'answer', id, ok: false, failure });
    }
  }

  /** Ends everything; idempotent. */
  async stop(): Promise<void> {
    this.#endTimers();
    await this.#client?.finish();
  }

  #endTimers(): void {
    if (this.#ticker !== null) clearInterval(this.#ticker);
    if (this.#tallier !== null) clearInterval(this.#tallier);
  }

  async #answer(request: LoadRequest): Promise<LoadRequests[typeof request.kind]['answer']> {
    if (request.kind === 'prepare') {
      const { send, clock, rehearses } = this.#options;
      const onPhase = (phase: Phase, durationUs: number | null) => send({ type: 'phase', phase, durationUs });
      this.#loading = this.#makeClient(request.command, { clock, onPhase, rehearses });
      const client = await this.#loading;
      this.#client = client;
      this.#everyMs = isCounted(request.command.spec) ? countedEveryMs : progressEveryMs;
      this.#offsetUs = request.command.clock.offsetUs;
      this.#bucketMs = client.cutBucket === undefined ? null : liveBucketMs(request.command.spec);
      if (client.tally !== undefined) this.#tallier = setInterval(() => this.#reportTally(), tallyEveryMs);
      if (Object.keys(aesEnvironment(request.command.spec)).length > 0) this.#aes = compareAes();
      await client.prepare();
      return null;
    }
    const client = await this.#loading;
    if (client === null)
      throw loadFailure('load-worker', `The worker received ${request.kind} before prepare.`);
    if (request.kind === 'connect') {
      const connected = await client.connect();
      return { ...connected, processes: client.processes };
    }
    if (request.kind === 'drain') return await client.drain(request.command.expected);
    if (request.kind === 'start') {
      client.start(request.command);
      this.#measureAtUs = request.command.measureAtUs - this.#offsetUs;
      this.#ticker = this.#startReporting(client);
      return null;
    }
    this.#endTimers();
    this.#reportRest(client);
    const result = await client.finish();
    if (this.#aes === null) return result;
    return { ...result, facts: { ...result.facts, 'aes.againstChaCha': this.#aes } };
  }

  async #makeClient(
    command: PrepareWorker | PrepareBridgeWorker,
    common: Pick<LoadWorkerOptions, 'clock' | 'rehearses'> & {
      onPhase: (phase: Phase, durationUs: number | null) => void;
    },
  ): Promise<LoadDriver> {
    const { send } = this.#options;
    if (command.kind === 'prepare-bridge') {
      const { BridgeClient } = await import('./bridge/bridge-client.ts');
      const onLog = (level: 'info' | 'warn', text: string) => send({ type: 'log', level, text });
      return new BridgeClient({ ...common, command, onLog });
    }
    const { folder = null, recordsFolder, ...own } = command;
    const onFailure = (failure: RoleFailure) => send({ type: 'trouble', failure });
    const entry = { execPath: process.execPath, args: process.argv.slice(1, 2) };
    return makeLoadDriver({ ...common, command: own, folder, recordsFolder, entry, onFailure });
  }

  #reportTally(): void {
    const tally = this.#client?.tally?.() ?? null;
    if (tally !== null) this.#options.send({ type: 'tally', tally });
  }

  /** Reports a second immediately after its last bucket, so that no bucket is split. */
  #startReporting(client: LoadDriver): NodeJS.Timeout {
    if (this.#bucketMs === null) return setInterval(() => this.#reportProgress(client), this.#everyMs);
    const bucketsPerReport = this.#everyMs / this.#bucketMs;
    let cut = 0;
    return setInterval(() => {
      this.#cutBucket(client);
      cut += 1;
      if (cut % bucketsPerReport === 0) this.#reportProgress(client);
    }, this.#bucketMs);
  }

  #cutBucket(client: LoadDriver): void {
    const latencyMs = client.cutBucket?.() ?? null;
    const atMs = Math.round((this.#options.clock.nowUs() - this.#measureAtUs) / 1000);
    if (latencyMs !== null) this.#buckets.push({ atMs, ...latencyMs });
  }

  /**
   * Reports the buckets since the last full second. Without them, the live view would not show the end of a
   * short run.
   */
  #reportRest(client: LoadDriver): void {
    if (this.#bucketMs === null) return;
    this.#cutBucket(client);
    if (this.#buckets.length > 0) this.#reportProgress(client);
  }

  #reportProgress(client: LoadDriver): void {
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
      ...(now.soFar === undefined ? {} : { soFar: now.soFar }),
      ...(this.#buckets.length === 0 ? {} : { buckets: this.#buckets.splice(0) }),
    };
    this.#last = { atMs: now.atMs, all: now.all, wireBytes };
    return progress;
  }
}

/** Loads only the driver of this load, because each run starts a process that should be ready soon. */
export async function makeLoadDriver(options: LoadDriverOptions): Promise<LoadDriver> {
  const { spec } = options.command;
  const { client: engine } = spec;
  if (isCoap(spec)) {
    const { CoapDriver } = await import('./load/coap/coap-load.ts');
    return new CoapDriver(options);
  }
  // A device without an agent only publishes and does not need a client driver.
  if (engine === 'native' || engine === 'external device') return new LoadClient(options);
  const { ProcessDriver } = await import('./clients/process-driver.ts');
  return new ProcessDriver({ ...options, engine });
}
