import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { agentEnvironment } from './agent-environment.ts';
import type { AgentProgram } from './agent-program.ts';

export interface AgentProcessOptions {
  name: string;
  program: AgentProgram;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  onLog: (level: 'info' | 'warn' | 'error', text: string) => void;
  /** First wait before a crashed agent is started again; doubles up to `retryMostMs`. */
  retryMs?: number;
  retryMostMs?: number;
}

/** SIGTERM leaves this much time to clean up before SIGKILL. */
const patienceMs = 5_000;
/** An agent that lived this long had no trouble starting. */
const settledMs = 20_000;
const keptLines = 20;

/** One agent on this machine, started again whenever it ends without being asked to. */
export class AgentProcess {
  readonly #options: AgentProcessOptions;
  #child: ChildProcess | null = null;
  #exited: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | null = null;
  #failures = 0;
  #running = false;

  constructor(options: AgentProcessOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#spawn();
  }

  /** Returns when the process is gone. Never rejects, idempotent. */
  async stop(): Promise<void> {
    this.#running = false;
    if (this.#retry !== null) clearTimeout(this.#retry);
    const child = this.#child;
    if (child !== null) {
      child.kill('SIGTERM');
      const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await this.#exited;
      clearTimeout(impatience);
    }
  }

  #spawn(): void {
    const { program, args, environment } = this.#options;
    const startedAt = Date.now();
    const lines: string[] = [];
    const child = spawn(program.execPath, [...program.args, ...args], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...agentEnvironment(process.env), ...environment },
      // A group of its own: Ctrl-C is for the server, which then ends its agents in order.
      detached: true,
    });
    this.#child = child;
    if (child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        lines.push(line);
        if (lines.length > keptLines) lines.shift();
      });
    }
    this.#exited = new Promise((resolve) => {
      const end = (how: string): void => {
        if (this.#child !== child) return;
        this.#child = null;
        resolve();
        this.#tellEnd({ how, lines, livedMs: Date.now() - startedAt });
      };
      child.once('error', (error) => end(error.message));
      child.once('close', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
  }

  #tellEnd({ how, lines, livedMs }: { how: string; lines: readonly string[]; livedMs: number }): void {
    if (!this.#running) return;
    const { name, onLog, retryMs = 250, retryMostMs = 10_000 } = this.#options;
    if (livedMs > settledMs) this.#failures = 0;
    const waitMs = Math.min(retryMostMs, retryMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 20);
    const words = lines.slice(-3).join(' | ');
    onLog('error', `The agent ${name} ended (${how}) and is started again in ${waitMs} ms. ${words}`.trim());
    this.#retry = setTimeout(() => this.#spawn(), waitMs);
  }
}
