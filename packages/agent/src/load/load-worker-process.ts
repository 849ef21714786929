import type { LogLine, RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { ManagedChild, type PidRecords } from '@mqttlab/shared/kit/managed-child';
import { Requests } from '@mqttlab/shared/kit/requests';
import type { Drained, StartLoad } from '@mqttlab/shared/messages/agent';
import type { ProgramEntry } from '../brokers/broker.ts';
import type { ChildRecords } from '../processes/child-records.ts';
import { loadFailure, makeLoadFailure } from '../processes/failures.ts';
import type { Environment } from '../tls/aes-instructions.ts';
import { makeEngineFlags, rehearses } from './node-engine.ts';
import type {
  BridgeTally,
  LoadMessage,
  LoadProgress,
  LoadRequestKind,
  LoadRequests,
  LoadResult,
  PrepareBridgeWorker,
  PrepareWorker,
} from './worker-messages.ts';

export interface WorkerListeners {
  onProgress: (progress: LoadProgress) => void;
  onPhase: (phase: Phase, durationUs: number | null) => void;
  /** Called if the worker died, or if a connection was lost during the run. */
  onFailure: (failure: RoleFailure) => void;
  onLog: (level: LogLine['level'], text: string) => void;
  /** Called with the counts of a bridge so far. */
  onTally?: (tally: BridgeTally) => void;
}

interface LoadWorkerProcessOptions extends WorkerListeners {
  /**
   * Arguments with which to start the worker as `execPath ...args`, where execPath is this Node; the process
   * then calls `runLoadWorker`.
   */
  entry: ProgramEntry;
  startTimeoutMs?: number;
  /** Variables added to the environment of this process. */
  environment?: Environment;
  records?: PidRecords;
}

/** A small board under load needs seconds to start Node. */
const usualStartMs = 45_000;
const killAfterMs = 2_000;

/**
 * The supervisor's handle for one load worker. Requests reject with Failure. When the worker dies, all
 * pending requests reject, and `onFailure` receives the reason unless `finish` or `stop` was called.
 */
export class LoadWorkerProcess {
  readonly #options: LoadWorkerProcessOptions;
  readonly #requests = new Requests<number, LoadRequests[LoadRequestKind]['answer']>();
  readonly #ready = Promise.withResolvers<void>();
  #listeners: WorkerListeners;
  #child: ManagedChild | null = null;
  #isLate = false;
  #ending = false;
  #lastId = 0;

  constructor(options: LoadWorkerProcessOptions) {
    this.#options = options;
    this.#listeners = options;
    this.#ready.promise.catch(() => {});
  }

  /** Replaces the listeners. */
  listen(listeners: WorkerListeners): void {
    this.#listeners = listeners;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Resolves when the worker is ready. */
  async start(): Promise<void> {
    if (this.#child !== null || this.#ending) return;
    const { entry, environment, records, startTimeoutMs = usualStartMs } = this.#options;
    const { execPath, args } = entry;
    const flags = rehearses(process.env) ? makeEngineFlags(process.versions.v8) : [];
    const child = new ManagedChild({
      command: execPath,
      args: [...flags, ...args],
      ...(environment && { environment }),
      ...(records && { records }),
      onMessage: (message) => this.#receive(message as LoadMessage),
      onLine: (line) => this.#listeners.onLog('warn', line),
      killAfterMs,
    });
    this.#child = child;
    child.start();
    child.exit.then(
      ({ code, signal }) => this.#handleExit(signal === null ? `exit code ${code}` : `signal ${signal}`),
      (error: unknown) => this.#handleExit(`it could not be started: ${reasonOf(error)}`),
    );
    const timer = setTimeout(() => {
      this.#isLate = true;
      void child.stop('SIGKILL');
    }, startTimeoutMs);
    await this.#ready.promise.finally(() => clearTimeout(timer));
  }

  async prepare(command: PrepareWorker | PrepareBridgeWorker): Promise<void> {
    await this.#request('prepare', command);
  }

  /** Opens every connection; resolves with the negotiated parameters of the first connection. */
  connect(): Promise<LoadRequests['connect']['answer']> {
    return this.#request('connect', null);
  }

  /** Resolves when the worker has accepted the request; the load then runs in the background. */
  async startLoad(command: StartLoad): Promise<void> {
    await this.#request('start', command);
  }

  /**
   * Drains the load. A publisher waits until every message is acknowledged and written, a subscriber until
   * `expected` distinct measured messages have arrived over all its subscriptions. Both first wait for the
   * end of the measure phase.
   */
  drain(expected: number | null): Promise<Drained> {
    return this.#request('drain', { expected });
  }

  /**
   * Disconnects and collects the results, at any time after prepare. The idle process stays alive until
   * `stop`, so that the kernel's data about it can still be read.
   */
  finish(): Promise<LoadResult> {
    this.#ending = true;
    return this.#request('finish', null);
  }

  /** Stops the worker in any state and leaves no process behind; idempotent, never rejects. */
  async stop(): Promise<void> {
    this.#ending = true;
    await this.#child?.stop();
  }

  #request<Kind extends LoadRequestKind>(
    kind: Kind,
    command: LoadRequests[Kind]['command'],
  ): Promise<LoadRequests[Kind]['answer']> {
    const child = this.#child;
    if (child?.isConnected !== true) {
      return Promise.reject(loadFailure('load-worker', `There is no load worker to ${kind}.`));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const fail = (error: Error) => this.#requests.reject(id, loadFailure('load-worker', reasonOf(error)));
    return this.#requests.ask(id, { send: () => child.send({ id, kind, command }, fail) });
  }

  #receive(message: LoadMessage): void {
    const { onPhase, onProgress, onFailure, onLog, onTally } = this.#listeners;
    if (message.type === 'ready') this.#ready.resolve();
    else if (message.type === 'phase') onPhase(message.phase, message.durationUs);
    else if (message.type === 'progress') onProgress(message.progress);
    else if (message.type === 'trouble') onFailure(message.failure);
    else if (message.type === 'tally') onTally?.(message.tally);
    else if (message.type === 'log') onLog(message.level, message.text);
    else if (message.ok) this.#requests.resolve(message.id, message.data);
    else this.#requests.reject(message.id, new Failure(message.failure));
  }

  #handleExit(how: string): void {
    const { startTimeoutMs = usualStartMs } = this.#options;
    const reason = this.#isLate ? `it did not start within ${startTimeoutMs / 1000} s` : how;
    const lastLine = this.#child?.lines.at(-1);
    const output = lastLine === undefined ? '' : ` Its last output: ${lastLine}`;
    const failure = makeLoadFailure('load-worker', `The load worker ended: ${reason}.${output}`);
    this.#ready.reject(new Failure(failure));
    this.#requests.rejectAll(new Failure(failure));
    if (this.#ending) return;
    this.#ending = true;
    this.#listeners.onFailure(failure);
  }
}

const ignoredEvents = { onProgress: () => {}, onPhase: () => {}, onLog: () => {} };

interface SpareWorkerOptions {
  /** Command with which this program starts itself. */
  entry: ProgramEntry;
  records: ChildRecords;
  /** Folder for compiled code, which saves about a tenth of the CPU time that each worker needs to start. */
  codeFolder: string;
  /** How long an unused spare worker waits before it exits, in ms. */
  idleMs: number;
}

interface Spare {
  worker: LoadWorkerProcess;
  started: Promise<void>;
}

/**
 * Starts the load worker for the next run while the previous run is being cleaned up. The next run then does
 * not wait until the program is loaded, which takes 0.1 s (0.5 s on a Pi). Each run still has a separate
 * process.
 */
export class SpareWorker {
  readonly #options: SpareWorkerOptions;
  #spare: Spare | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: SpareWorkerOptions) {
    this.#options = options;
  }

  /**
   * Returns the spare worker, or a new worker if the run needs another environment; `started` rejects with
   * Failure. The caller owns the worker and must stop it.
   */
  take(listeners: WorkerListeners, environment: Environment = {}): Spare {
    const isOwn = Object.keys(environment).length > 0;
    const spare = (isOwn ? null : this.#spare) ?? this.#launch(environment);
    if (!isOwn) this.#forget();
    spare.worker.listen(listeners);
    return spare;
  }

  /** Starts a spare worker unless there is one; it exits by itself if it is not used. */
  refill(): void {
    if (this.#spare !== null) return;
    this.#spare = this.#launch();
    this.#spare.started.catch(() => this.#forget());
    this.#timer = setTimeout(() => {
      this.stop().catch(() => {});
    }, this.#options.idleMs);
  }

  async stop(): Promise<void> {
    const spare = this.#spare;
    this.#forget();
    if (spare === null) return;
    await spare.worker.stop();
  }

  #forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#spare = null;
  }

  #launch(environment: Environment = {}): Spare {
    const { entry, records, codeFolder } = this.#options;
    const worker = new LoadWorkerProcess({
      entry: { execPath: entry.execPath, args: [...entry.args, 'load-worker'] },
      environment: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? codeFolder, ...environment },
      records,
      ...ignoredEvents,
      onFailure: () => {
        if (this.#spare === spare) this.#forget();
      },
    });
    const spare: Spare = { worker, started: worker.start() };
    return spare;
  }
}
