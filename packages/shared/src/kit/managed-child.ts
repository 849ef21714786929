import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable, type Writable } from 'node:stream';
import { reasonOf } from './failure.ts';

export interface ChildExit {
  /** null if a signal ended the process. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Where the pids of running children are recorded, so that they can be killed after this process has crashed.
 */
export interface PidRecords {
  /** If this method throws, the child is killed and `exit` rejects. */
  add(pid: number): void;
  /** Must not reject. */
  remove(pid: number): Promise<void>;
}

export interface ManagedChildOptions {
  /** For a Node.js program: `process.execPath`. */
  command: string;
  args: readonly string[];
  /** Additional environment variables, or all of them if `inheritsEnvironment` is false. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Default: true. */
  inheritsEnvironment?: boolean;
  /** Working folder; default: the working folder of this process. */
  folder?: string;
  /** Starts the child in a separate process group, so that Ctrl-C in the terminal does not reach it. */
  detached?: boolean;
  /** Opens an IPC channel. */
  onMessage?: (message: unknown) => void;
  /** Serialization for the IPC channel; `advanced` is the structured clone algorithm. Default: json. */
  serialization?: 'json' | 'advanced';
  /** Opens a pipe to which `input` writes: the child's standard input, or descriptor 3. */
  inputDescriptor?: 0 | 3;
  /** Mode of the standard output; with `stream`, the caller reads `output`. Default: lines. */
  stdout?: 'lines' | 'stream' | 'ignore';
  /** Default: lines. */
  stderr?: 'lines' | 'ignore';
  onLine?: (line: string, from: 'stdout' | 'stderr') => void;
  /** Time between the signal sent by `stop` and SIGKILL, in ms. */
  killAfterMs: number;
  records?: PidRecords;
}

const maxLines = 20;
const maxLineLength = 200;

/**
 * A child process, from start to exit. Only `stop` ends it; the caller decides what its exit means.
 *
 *     const child = new ManagedChild({ command: 'sleep', args: ['60'], killAfterMs: 1_000 });
 *     child.start();
 *     child.exit.then(({ code }) => ..., (error) => ...);
 *     await child.stop();
 */
export class ManagedChild {
  readonly #options: ManagedChildOptions;
  readonly #lines: string[] = [];
  #child: ChildProcess | null = null;
  #exit: Promise<ChildExit> | null = null;
  #stopped = false;

  constructor(options: ManagedChildOptions) {
    this.#options = options;
  }

  /** null before `start` and if the child could not be started. Keeps its value after the exit. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** True while messages can be sent over IPC. */
  get isConnected(): boolean {
    return this.#child?.connected === true;
  }

  /**
   * Resolves when the process has exited and its output has been read. Rejects if the process could not be
   * started or recorded.
   */
  get exit(): Promise<ChildExit> {
    if (this.#exit === null) throw new Error('The child was not started');
    return this.#exit;
  }

  /** Its last 20 lines. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Returns the child's last five lines without stack traces, or the reason why it could not be started. */
  get lastLines(): string {
    const relevant = this.#lines.filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
    return relevant.slice(-5).join(' | ');
  }

  /** Returns the pipe to `inputDescriptor`; throws if there is none. */
  get input(): Writable {
    const pipe = this.#inputPipe();
    if (pipe !== null) return pipe;
    throw new Error('The child has no pipe to write to');
  }

  /**
   * Returns the child's standard output, which is empty if it could not be started. Throws unless `stdout` is
   * `stream`.
   */
  get output(): Readable {
    if (this.#child === null || this.#options.stdout !== 'stream') {
      throw new Error('The child’s output is not a stream');
    }
    return this.#child.stdout ?? Readable.from([]);
  }

  /** Starts the child. Does nothing after the first call or after `stop`. */
  start(): void {
    if (this.#child !== null || this.#stopped) return;
    const { command, args, folder, onMessage, inputDescriptor, records } = this.#options;
    const { detached = false, serialization = 'json', stdout = 'lines', stderr = 'lines' } = this.#options;
    const pipeFor = (use: 'lines' | 'stream' | 'ignore') => (use === 'ignore' ? 'ignore' : 'pipe');
    const stdio: StdioOptions = [inputDescriptor === 0 ? 'pipe' : 'ignore', pipeFor(stdout), pipeFor(stderr)];
    if (inputDescriptor === 3) stdio.push('pipe');
    if (onMessage !== undefined) stdio.push('ipc');
    const child = spawn(command, args, {
      stdio,
      cwd: folder,
      env: this.#environment(),
      detached,
      serialization,
    });
    this.#child = child;
    if (onMessage !== undefined) child.on('message', onMessage);
    // The exit also reports a broken pipe.
    this.#inputPipe()?.on('error', () => {});
    if (stdout === 'lines') this.#readLines('stdout');
    if (stderr === 'lines') this.#readLines('stderr');
    let recordError: Error | null = null;
    this.#exit = new Promise((resolve, reject) => {
      // A running process also reports errors on its channel here; `send` handles those errors.
      child.on('error', (error) => {
        if (child.pid === undefined) reject(error);
      });
      child.once('close', (code, signal) =>
        recordError === null ? resolve({ code, signal }) : reject(recordError),
      );
    });
    try {
      if (child.pid !== undefined) records?.add(child.pid);
    } catch (error) {
      recordError = new Error(`it could not be recorded (${reasonOf(error)}), so it was killed immediately`);
      child.kill('SIGKILL');
    }
    void this.#removeRecordAtExit(this.#exit, child.pid);
  }

  /**
   * Sends a message over IPC. Without a channel, the message is lost and `onError` is called if it is given.
   */
  send(message: object, onError: (error: Error) => void = () => {}): void {
    if (this.#child?.connected === true) {
      this.#child.send(message, (error) => error !== null && onError(error));
    } else onError(new Error('the process is not connected'));
  }

  /**
   * Sends the signal (null: sends none, because the process exits without it), then SIGKILL after
   * `killAfterMs`. Resolves when the process has exited and its record is removed. Discards output that
   * nothing reads. Idempotent, never rejects.
   */
  async stop(
    signal: NodeJS.Signals | null = 'SIGTERM',
    killAfterMs: number = this.#options.killAfterMs,
  ): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (child === null || this.#exit === null) return;
    if (signal !== null) child.kill(signal);
    // If nothing reads its output, the process would never be closed.
    if (this.#options.stdout === 'stream') child.once('exit', () => child.stdout?.resume());
    const killTimer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    await this.#exit.catch(() => {});
    clearTimeout(killTimer);
    if (child.pid !== undefined) await this.#options.records?.remove(child.pid);
  }

  #inputPipe(): Writable | null {
    const { inputDescriptor } = this.#options;
    // Without free file descriptors, Node.js creates no pipes.
    const pipes: ChildProcess['stdio'] | undefined = this.#child?.stdio;
    const pipe = inputDescriptor === undefined ? null : pipes?.[inputDescriptor];
    return pipe && 'write' in pipe ? pipe : null;
  }

  #environment(): NodeJS.ProcessEnv {
    const { environment, inheritsEnvironment = true } = this.#options;
    return { ...(inheritsEnvironment ? process.env : {}), ...environment };
  }

  #readLines(from: 'stdout' | 'stderr'): void {
    const stream = this.#child?.[from];
    if (!stream) return;
    createInterface({ input: stream }).on('line', (line) => {
      this.#addLine(line);
      this.#options.onLine?.(line, from);
    });
  }

  #addLine(line: string): void {
    this.#lines.push(line.slice(0, maxLineLength));
    if (this.#lines.length > maxLines) this.#lines.shift();
  }

  async #removeRecordAtExit(exit: Promise<ChildExit>, pid: number | undefined): Promise<void> {
    await exit.catch((error: unknown) => this.#addLine(reasonOf(error)));
    if (pid !== undefined) await this.#options.records?.remove(pid);
  }
}
