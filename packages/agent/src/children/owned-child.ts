import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { reasonOf } from '../base/run-failure.ts';
import type { ChildRecords } from './child-records.ts';

export interface ChildExit {
  code: number | null;
  signal: string | null;
}

export interface OwnedChildOptions {
  command: string;
  args: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** Where relative paths begin; this program's own folder unless told otherwise. */
  folder?: string;
  /** Opens an IPC channel; `onMessage` then gets what the child sends. */
  onMessage?: (message: unknown) => void;
  /** Descriptor of a pipe to the child, which `input` then writes to: its standard input, or another. */
  inputDescriptor?: 0 | 3;
  onLine?: (line: string, from: 'stdout' | 'stderr') => void;
  /** Gets what it prints as it comes; `onLine` then gets what it says on stderr alone. */
  onOutput?: (chunk: Buffer) => void;
  /** How long SIGTERM may take before SIGKILL follows. */
  patienceMs: number;
  records: ChildRecords;
}

const keptLines = 20;
const maxOfALine = 200;

/** One child process: started once, its lines read, its pid on record until it is gone. */
export class OwnedChild {
  readonly #options: OwnedChildOptions;
  readonly #lines: string[] = [];
  #child: ChildProcess | null = null;
  #exit: Promise<ChildExit> | null = null;
  #stopped = false;

  constructor(options: OwnedChildOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Settles when the process is gone and its last line was read; rejects when it could not be started or recorded. */
  get exit(): Promise<ChildExit> {
    if (this.#exit === null) throw new Error('The child was not started');
    return this.#exit;
  }

  /** The newest of its lines. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Its last five lines, or why it could not be started; of a crash the stack is left out. */
  get lastLines(): string {
    const telling = this.#lines.filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
    return telling.slice(-5).join(' | ');
  }

  /** Throws where no descriptor was asked for. */
  get input(): Writable {
    const pipe = this.#child?.stdio[this.#options.inputDescriptor ?? 0];
    if (pipe && 'write' in pipe) return pipe;
    throw new Error('The child has no pipe to write to');
  }

  start(): void {
    if (this.#child !== null || this.#stopped) return;
    const { command, args, environment, folder, onMessage, onOutput, inputDescriptor, records } =
      this.#options;
    const stdio: StdioOptions = [inputDescriptor === 0 ? 'pipe' : 'ignore', 'pipe', 'pipe'];
    if (inputDescriptor === 3) stdio.push('pipe');
    if (onMessage !== undefined) stdio.push('ipc');
    const child = spawn(command, args, { stdio, cwd: folder, env: { ...process.env, ...environment } });
    this.#child = child;
    if (onMessage !== undefined) child.on('message', onMessage);
    // A pipe that broke shows in the exit as well.
    if (inputDescriptor !== undefined) this.input.on('error', () => {});
    if (onOutput !== undefined) child.stdout?.on('data', onOutput);
    else this.#readLines('stdout');
    this.#readLines('stderr');
    let untracked: unknown = null;
    this.#exit = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) =>
        untracked === null ? resolve({ code, signal }) : reject(untracked),
      );
    });
    try {
      if (child.pid !== undefined) records.add(child.pid);
    } catch (error) {
      untracked = new Error(`it could not be put on record (${reasonOf(error)}), so it was ended at once`);
      child.kill('SIGKILL');
    }
    void this.#forgetWhenGone(this.#exit, child.pid);
  }

  send(message: object): void {
    if (this.#child?.connected === true) this.#child.send(message);
  }

  /**
   * The signal (null: none, it ends by itself), then SIGKILL when patience ends; returns when the process is gone.
   * Never rejects.
   */
  async stop(
    signal: NodeJS.Signals | null = 'SIGTERM',
    patienceMs = this.#options.patienceMs,
  ): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (child === null || this.#exit === null) return;
    if (signal !== null) child.kill(signal);
    const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    await this.#exit.catch(() => {});
    clearTimeout(impatience);
    if (child.pid !== undefined) await this.#options.records.remove(child.pid);
  }

  #readLines(from: 'stdout' | 'stderr'): void {
    const stream = this.#child?.[from];
    if (!stream) return;
    createInterface({ input: stream }).on('line', (line) => {
      this.#keep(line);
      this.#options.onLine?.(line, from);
    });
  }

  #keep(line: string): void {
    this.#lines.push(line.slice(0, maxOfALine));
    if (this.#lines.length > keptLines) this.#lines.shift();
  }

  async #forgetWhenGone(exit: Promise<ChildExit>, pid: number | undefined): Promise<void> {
    await exit.catch((error: unknown) => this.#keep(reasonOf(error)));
    if (pid !== undefined) await this.#options.records.remove(pid);
  }
}
