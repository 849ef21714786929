import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { reasonOf } from '../runs/run-failure.ts';
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
  onLine: (line: string) => void;
  /** How long SIGTERM may take before SIGKILL follows. */
  patienceMs: number;
  records: ChildRecords;
}

/** One child process: started once, its lines read, its pid on record until it is gone. */
export class OwnedChild {
  readonly #options: OwnedChildOptions;
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

  start(): void {
    if (this.#child !== null || this.#stopped) return;
    const { command, args, environment, folder, onMessage, onLine, records } = this.#options;
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
    if (onMessage !== undefined) stdio.push('ipc');
    const child = spawn(command, args, { stdio, cwd: folder, env: { ...process.env, ...environment } });
    this.#child = child;
    if (onMessage !== undefined) child.on('message', onMessage);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', onLine);
    }
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

  /** SIGTERM, then SIGKILL when patience ends; returns when the process is gone. Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (child === null || this.#exit === null) return;
    child.kill('SIGTERM');
    const impatience = setTimeout(() => child.kill('SIGKILL'), this.#options.patienceMs);
    await this.#exit.catch(() => {});
    clearTimeout(impatience);
    if (child.pid !== undefined) await this.#options.records.remove(child.pid);
  }

  async #forgetWhenGone(exit: Promise<ChildExit>, pid: number | undefined): Promise<void> {
    await exit.catch(() => {});
    if (pid !== undefined) await this.#options.records.remove(pid);
  }
}
