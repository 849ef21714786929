import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { LogLine, RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import type { Drained, StartLoad } from '@mqttlab/shared/messages/agent';
import { loadFailure, makeLoadFailure } from '../base/load-failures.ts';
import { RunFailure, reasonOf } from '../base/run-failure.ts';
import type { ProgramEntry } from '../brokers/broker.ts';
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
  /** The worker died, or a connection was lost in mid-run. */
  onTrouble: (failure: RoleFailure) => void;
  onLog: (level: LogLine['level'], text: string) => void;
  /** What a bridge counted so far. */
  onTally?: (tally: BridgeTally) => void;
}

export interface LoadWorkerProcessOptions extends WorkerListeners {
  /** How to start the worker: `execPath ...args`, execPath being this Node; the process then calls `runLoadWorker`. */
  entry: ProgramEntry;
  startTimeoutMs?: number;
  /** Besides that of this process. */
  environment?: Environment;
}

interface Waiting {
  // A method, because each request has its own type of answer.
  resolve(data: LoadRequests[LoadRequestKind]['answer']): void;
  reject: (error: RunFailure) => void;
}

/** A small board under load takes seconds to start a Node. */
const usualStartMs = 45_000;
const exitPatienceMs = 2_000;

/**
 * The supervisor's handle of one load worker. Requests reject with RunFailure; when the worker dies, all that
 * wait reject, and `onTrouble` tells why unless `finish` or `stop` was called.
 */
export class LoadWorkerProcess {
  readonly #options: LoadWorkerProcessOptions;
  #listeners: WorkerListeners;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | null = null;
  #gone: Promise<void> | null = null;
  #ready: { resolve: () => void; reject: (error: RunFailure) => void } | null = null;
  #ending = false;
  #lastId = 0;
  #lastLine = '';

  constructor(options: LoadWorkerProcessOptions) {
    this.#options = options;
    this.#listeners = options;
  }

  /** From now on they are told, and those before no more. */
  listen(listeners: WorkerListeners): void {
    this.#listeners = listeners;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Resolves when the worker is up. */
  async start(): Promise<void> {
    if (this.#child !== null || this.#ending) return;
    const { entry, environment, startTimeoutMs = usualStartMs } = this.#options;
    const { execPath, args } = entry;
    let isLate = false;
    const flags = rehearses(process.env) ? makeEngineFlags(process.versions.v8) : [];
    const child = spawn(execPath, [...flags, ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...environment },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.#readLine(line));
    }
    child.on('message', (message: LoadMessage) => this.#take(message));
    const ready = new Promise<void>((resolve, reject) => {
      this.#ready = { resolve, reject };
    });
    this.#gone = new Promise((resolve) => {
      child.once('error', (error) =>
        this.#handleExit(`it could not be started: ${reasonOf(error)}`, resolve),
      );
      child.once('close', (code, signal) =>
        this.#handleExit(
          isLate ? `it did not start within ${startTimeoutMs / 1000} s` : describeExit(code, signal),
          resolve,
        ),
      );
    });
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, startTimeoutMs);
    await ready.finally(() => clearTimeout(timer));
  }

  async prepare(command: PrepareWorker | PrepareBridgeWorker): Promise<void> {
    await this.#request('prepare', command);
  }

  /** Opens every connection; answers with what the first one negotiated. */
  connect(): Promise<LoadRequests['connect']['answer']> {
    return this.#request('connect', null);
  }

  /** Resolves when the worker accepted; it works on by itself. */
  async startLoad(command: StartLoad): Promise<void> {
    await this.#request('start', command);
  }

  /**
   * Publisher: until everything is acknowledged and written. Subscriber: until `expected` different measured
   * messages came, summed over all its subscriptions. Waits for the end of the measure phase first.
   */
  drain(expected: number | null): Promise<Drained> {
    return this.#request('drain', { expected });
  }

  /**
   * Disconnects and collects the figures, at any time after prepare. The process, idle now, lives until `stop`,
   * so that what the kernel knows of it can still be read.
   */
  finish(): Promise<LoadResult> {
    this.#ending = true;
    return this.#request('finish', null);
  }

  /** Leaves no process, whatever state it is in; idempotent, never rejects. */
  async stop(): Promise<void> {
    this.#ending = true;
    const child = this.#child;
    if (child === null || this.#gone === null) return;
    child.kill('SIGTERM');
    const impatience = setTimeout(() => child.kill('SIGKILL'), exitPatienceMs);
    await this.#gone;
    clearTimeout(impatience);
  }

  #request<Kind extends LoadRequestKind>(
    kind: Kind,
    command: LoadRequests[Kind]['command'],
  ): Promise<LoadRequests[Kind]['answer']> {
    return new Promise((resolve, reject) => {
      if (this.#child?.connected !== true) {
        reject(loadFailure('load-worker', `There is no load worker to ${kind}.`));
        return;
      }
      this.#lastId += 1;
      const id = this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, kind, command }, (error) => {
        if (error !== null && this.#waiting.delete(id)) reject(loadFailure('load-worker', reasonOf(error)));
      });
    });
  }

  #take(message: LoadMessage): void {
    const { onPhase, onProgress, onTrouble, onLog, onTally } = this.#listeners;
    if (message.type === 'ready') this.#ready?.resolve();
    else if (message.type === 'phase') onPhase(message.phase, message.durationUs);
    else if (message.type === 'progress') onProgress(message.progress);
    else if (message.type === 'trouble') onTrouble(message.failure);
    else if (message.type === 'tally') onTally?.(message.tally);
    else if (message.type === 'log') onLog(message.level, message.text);
    else {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.ok) waiting?.resolve(message.data);
      else waiting?.reject(new RunFailure(message.failure));
    }
  }

  #readLine(line: string): void {
    this.#lastLine = line;
    this.#listeners.onLog('warn', line);
  }

  #handleExit(how: string, resolve: () => void): void {
    const words = this.#lastLine === '' ? '' : ` Its last output: ${this.#lastLine}`;
    const failure = makeLoadFailure('load-worker', `The load worker ended: ${how}.${words}`);
    const expected = this.#ending;
    this.#ready?.reject(new RunFailure(failure));
    for (const waiting of this.#waiting.values()) waiting.reject(new RunFailure(failure));
    this.#waiting.clear();
    resolve();
    if (!expected) {
      this.#ending = true;
      this.#listeners.onTrouble(failure);
    }
  }
}

function describeExit(code: number | null, signal: string | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
