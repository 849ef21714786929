import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestServer } from '../fixtures/server.ts';
import type { Means, Victim } from './make-sequence.ts';
import { type RunningProcess, runningBelow } from './processes.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** A capture needs 96 MiB of free space. */
const diskMiB = 160;
const fakeTimeLibrary = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'.replace(
  'x86_64',
  process.arch === 'arm64' ? 'aarch64' : 'x86_64',
);

/** Faults that are possible here. `network`: this process runs in a separate network namespace. */
export function findMeans(network: boolean): Means {
  const isRoot = process.getuid?.() === 0;
  const programs = ['/usr/bin/dumpcap', '/usr/bin/tcpdump', '/usr/sbin/tcpdump'];
  const capture = isRoot && programs.some((path) => existsSync(path));
  return { disk: isRoot, network, faketime: existsSync(fakeTimeLibrary), capture };
}

/** The real server with its built-in testbed, a separate disk and clock, and methods for all faults. */
export class ChaosBench {
  readonly server = new TestServer();
  readonly means: Means;
  /** Keys of results on devices that the server must refuse. */
  readonly refusable = new Set<string>();
  /** Runs of the sequence whose stored evidence was damaged. */
  readonly damaged = new Set<number>();
  /** Captures that were temporarily unavailable to the server. */
  readonly withheld = new Set<number>();
  /** Problems that a fault detected during its execution. */
  readonly found: string[] = [];
  #mounted: string | null = null;
  /** The experiment of the sequence. */
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

  /** Stops everything and removes all files from this machine. */
  async remove(): Promise<void> {
    await this.stopServer();
    this.releaseFolder();
    if (this.means.disk) execFileSync('umount', [this.dataFolder]);
    await this.server.remove();
    rmSync(this.#clockPath, { force: true });
  }

  /** Current processes; there may be none when a fault starts. */
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

  /** Fills the remaining space. */
  fillDisk(): void {
    try {
      for (let part = 0; ; part += 1) writeFileSync(this.#fillerPath(part), Buffer.alloc(1024 * 1024, 1));
    } catch {
      // Full: the last file contains the bytes that still fitted.
    }
  }

  freeDisk(): void {
    for (const name of readdirSync(this.dataFolder)) {
      if (name.startsWith('filler-')) rmSync(join(this.dataFolder, name), { force: true });
    }
  }

  /** Mounts a disk inside a folder, which cannot be removed until `releaseFolder`. */
  holdFolder(folder: string): void {
    const path = join(folder, 'mounted');
    mkdirSync(path, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path]);
    this.#mounted = path;
  }

  /** Idempotent. */
  releaseFolder(): void {
    if (this.#mounted !== null) execFileSync('umount', [this.#mounted]);
    this.#mounted = null;
  }

  /** Run folders that exist on devices. */
  runFolders(): string[] {
    const agents = join(this.dataFolder, 'agents');
    return foldersIn(agents).flatMap((device) => foldersIn(join(device, 'runs')));
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

  /** Drops packets with which agents close a TCP connection (FIN and RST) until `passFarewells`. */
  dropFarewells(): void {
    const port = new URL(this.server.address).port;
    const chain =
      'add table inet farewell; add chain inet farewell in { type filter hook input priority 0; }';
    const rule = `add rule inet farewell in tcp dport ${port} tcp flags & (fin | rst) != 0 drop`;
    execFileSync('nft', [`${chain}; ${rule}`]);
  }

  passFarewells(): void {
    execFileSync('nft', ['delete', 'table', 'inet', 'farewell']);
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
      // Durations and due times use a monotonic clock.
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

  /** Mounts over the server's folder, with its link to the files shared by all servers. */
  #mountDisk(): void {
    const options = ['-t', 'tmpfs', '-o', `size=${diskMiB}m,mode=0700`, 'tmpfs', this.dataFolder];
    execFileSync('mount', options);
    const packed = join(root, 'node_modules', '.cache', 'packed');
    mkdirSync(packed, { recursive: true });
    symlinkSync(packed, join(this.dataFolder, 'cache'));
  }
}

function foldersIn(path: string): string[] {
  return existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [];
}
