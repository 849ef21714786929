import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { within } from '@mqttlab/shared/testing/within';
import type { Held } from './hold-probe.ts';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const startMs = 120_000;
const stopMs = 15_000;

/** The built server with hold-probe.ts loaded beside it. */
export class ProbedServer {
  url = '';
  readonly #child: ChildProcess;

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
      this.#child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    this.url = await within(startMs, 'the server is ready', ready);
  }

  /** Figures since the last call. */
  async held(): Promise<Held> {
    const answer = once(this.#child, 'message');
    this.#child.send('held');
    const [held] = await answer;
    return held as Held;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopMs);
    await ended;
    clearTimeout(timer);
  }
}
