import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestServer } from '../fixtures/server.ts';
import type { Means, Victim } from './make-sequence.ts';
import { type RunningProcess, runningBelow } from './processes.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const diskMiB = 96;
const fakeTimeLibrary = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'.replace(
  'x86_64',
  process.arch === 'arm64' ? 'aarch64' : 'x86_64',
);

/** What can be broken here. `network`: this process lives in a network namespace of its own. */
export function findMeans(network: boolean): Means {
  const isRoot = process.getuid?.() === 0;
  return { disk: isRoot, network, faketime: existsSync(fakeTimeLibrary) };
}

/** The real server with its built-in testbed, on a disk and a clock of its own, and everything that can happen to it. */
export class ChaosBench {
  readonly server = new TestServer();
  readonly means: Means;
  /** Keys of results that lie on devices and have to be refused. */
  readonly refusable = new Set<string>();
  /** That of the sequence. */
  experimentId = 0;
  #clockS = 0;
  #isUp = false;

  constructor(means: Means) {
    this.means = means;
    this.server.rehearsal = 'off';
  }

  get dataFolder(): string {
    return this.server.dataFolder;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  async start(): Promise<void> {
    if (this.means.disk) this.#mountDisk();
    await this.startServer();
  }

  async startServer(): Promise<void> {
    await this.server.start(this.#environment());
    this.#isUp = true;
  }

  async killServer(): Promise<void> {
    this.#isUp = false;
    await this.server.kill();
  }

  async stopServer(): Promise<number | null> {
    this.#isUp = false;
    return this.server.stop();
  }

  /** Ends everything; leaves nothing on this machine. */
  async remove(): Promise<void> {
    await this.stopServer();
    if (this.means.disk) execFileSync('umount', [this.dataFolder]);
    await this.server.remove();
    rmSync(this.#clockPath, { force: true });
  }

  /** Those that there are now; a fault may come when there is none. */
  find(victim: Victim): RunningProcess[] {
    const { pid } = this.server;
    if (victim === 'server') return [{ pid, command: 'server' }];
    const all = runningBelow(pid);
    const agents = all.filter(({ command }) => command.startsWith('mqttlab-agent '));
    if (victim === 'broker-agent') return agents.filter(({ command }) => command.includes('broker'));
    if (victim === 'client-agent') return agents.filter(({ command }) => !command.includes('broker'));
    if (victim === 'broker') return all.filter(({ command }) => /mosquitto|embedded-broker/.test(command));
    return all.filter(({ command }) => command.includes('load-worker'));
  }

  /** Every byte that is left. */
  fillDisk(): void {
    try {
      for (let part = 0; ; part += 1) writeFileSync(this.#fillerPath(part), Buffer.alloc(1024 * 1024, 1));
    } catch {
      // Full: the last part holds what still went in.
    }
  }

  freeDisk(): void {
    for (const name of readdirSync(this.dataFolder)) {
      if (name.startsWith('filler-')) rmSync(join(this.dataFolder, name), { force: true });
    }
  }

  jumpClock(byS: number): void {
    this.#clockS += byS;
    this.#writeClock();
  }

  cutConnections(): void {
    const port = new URL(this.server.address).port;
    const chain = 'add table inet chaos; add chain inet chaos in { type filter hook input priority 0; }';
    execFileSync('nft', [`${chain}; add rule inet chaos in tcp dport ${port} reject with tcp reset`]);
  }

  joinConnections(): void {
    execFileSync('nft', ['delete', 'table', 'inet', 'chaos']);
  }

  outboxOf(deviceId: string): string {
    return join(this.dataFolder, 'agents', deviceId, 'outbox');
  }

  #environment(): Record<string, string> {
    if (!this.means.faketime) return {};
    this.#writeClock();
    return {
      LD_PRELOAD: fakeTimeLibrary,
      FAKETIME_TIMESTAMP_FILE: this.#clockPath,
      FAKETIME_NO_CACHE: '1',
      // Durations and due times are measured by a clock that does not jump.
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    };
  }

  get #clockPath(): string {
    return `${this.dataFolder}.clock`;
  }

  #writeClock(): void {
    writeFileSync(this.#clockPath, `${this.#clockS < 0 ? '-' : '+'}${Math.abs(this.#clockS)}\n`);
  }

  #fillerPath(part: number): string {
    return join(this.dataFolder, `filler-${part}`);
  }

  /** Over the folder that the server was given, with its link to what all servers share. */
  #mountDisk(): void {
    const options = ['-t', 'tmpfs', '-o', `size=${diskMiB}m,mode=0700`, 'tmpfs', this.dataFolder];
    execFileSync('mount', options);
    const packed = join(root, 'node_modules', '.cache', 'packed');
    mkdirSync(packed, { recursive: true });
    symlinkSync(packed, join(this.dataFolder, 'cache'));
  }
}
