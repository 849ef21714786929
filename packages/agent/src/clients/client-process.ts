import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const keptWords = 500;

export interface ClientProcessOptions {
  /** With what goes before it: setpriv(1) ends it with its parent. */
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  onData: (chunk: Buffer) => void;
  /** Ended although nobody ended it. */
  onLost: (why: string) => void;
}

/** One mosquitto_pub or mosquitto_sub, from start to exit. */
export class ClientProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exit: Promise<number | null>;
  #words = '';
  #ending = false;

  constructor({ command: [program = '', ...args], environment, onData, onLost }: ClientProcessOptions) {
    this.#child = spawn(program, args, { stdio: 'pipe', env: { ...process.env, ...environment } });
    const { stdin, stdout, stderr } = this.#child;
    // A pipe that broke shows in the exit as well.
    stdin.on('error', () => {});
    stdout.on('data', onData);
    createInterface({ input: stderr }).on('line', (line) => {
      this.#words = `${this.#words} ${line}`.trim().slice(-keptWords);
    });
    this.#exit = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#words = error.message;
        resolve(null);
      });
      this.#child.once('close', (code) => resolve(code));
    });
    void this.#exit.then((code) => {
      if (!this.#ending) onLost(this.#words || `it ended with exit code ${code}`);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  /** Lets it send what it has and disconnect; the exit code, or null when it had to be ended. */
  async finish(patienceMs: number): Promise<number | null> {
    this.#ending = true;
    this.#child.stdin.end();
    return this.#endAfter(patienceMs);
  }

  /** SIGTERM lets it disconnect. Idempotent, never rejects. */
  async stop(patienceMs: number): Promise<void> {
    this.#ending = true;
    this.#child.kill('SIGTERM');
    await this.#endAfter(patienceMs);
  }

  async #endAfter(patienceMs: number): Promise<number | null> {
    let ended = true;
    const timer = setTimeout(() => {
      ended = false;
      this.#child.kill('SIGKILL');
    }, patienceMs);
    const code = await this.#exit;
    clearTimeout(timer);
    return ended ? code : null;
  }
}
