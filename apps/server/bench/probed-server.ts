import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { descendantsOf } from '@mqttlab/shared/testing/processes';
import { within } from '@mqttlab/shared/testing/within';
import type { Held } from './hold-probe.ts';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const startMs = 120_000;
const stopMs = 15_000;
const memoryEveryMs = 50;

/** Memory used by the server and its child processes, in MB. */
export interface Memory {
  /** Shared pages, such as the program's, are counted once. */
  onceMb: number;
  /** Shared pages are counted in full for each process. */
  rssMb: number;
}

const pageBytes = 4096;

/** Linux only. Reads statm, because smaps_rollup, which visits every page, would use up a core. */
function memoryOf(pids: readonly number[]): Memory {
  let ownMb = 0;
  let rssMb = 0;
  let sharedMb = 0;
  for (const pid of pids) {
    try {
      const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
      const [resident = 0, shared = 0] = pages.slice(1).map((count) => (count * pageBytes) / 1e6);
      ownMb += resident - shared;
      rssMb += resident;
      sharedMb = Math.max(sharedMb, shared);
    } catch {
      // The process has exited.
    }
  }
  return { onceMb: ownMb + sharedMb, rssMb };
}

/** The built server with hold-probe.ts loaded into it. */
export class ProbedServer {
  url = '';
  readonly #child: ChildProcess;
  #memory: Memory = { onceMb: 0, rssMb: 0 };
  #looking: NodeJS.Timeout | undefined;

  constructor(dataFolder: string, program = join(root, 'dist', 'server.mjs')) {
    const probe = new URL('./hold-probe.ts', import.meta.url).href;
    this.#child = fork(program, [], {
      execArgv: ['--disable-warning=ExperimentalWarning', '--import', probe],
      env: { ...process.env, PORT: '0', HOST: '127.0.0.1', MQTTLAB_DATA: dataFolder, LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
  }

  async start(): Promise<void> {
    let text = '';
    const ready = new Promise<string>((resolve, reject) => {
      this.#child.stdout?.on('data', (data: Buffer) => {
        text += data.toString();
        const url = /ready on (https?:\/\/\S+)/.exec(text)?.[1];
        if (url) resolve(url);
      });
      this.#child.once('exit', (code) => reject(new Error(`the server exited with ${code}`)));
    });
    this.url = await within(startMs, 'the server is ready', ready);
    this.#looking = setInterval(() => this.#lookAtMemory(), memoryEveryMs);
  }

  #lookAtMemory(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    const { onceMb, rssMb } = memoryOf([pid, ...descendantsOf(pid)]);
    this.#memory = {
      onceMb: Math.max(this.#memory.onceMb, onceMb),
      rssMb: Math.max(this.#memory.rssMb, rssMb),
    };
  }

  /** Returns the maximum memory use since the last call. */
  memory(): Memory {
    this.#lookAtMemory();
    const memory = this.#memory;
    this.#memory = { onceMb: 0, rssMb: 0 };
    return memory;
  }

  /** Returns the measurements since the last call. */
  async held(): Promise<Held> {
    const answer = once(this.#child, 'message');
    this.#child.send('held');
    const [held] = await answer;
    return held as Held;
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking);
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopMs);
    await ended;
    clearTimeout(timer);
  }
}
