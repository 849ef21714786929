import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PidRecords } from '@mqttlab/shared/kit/managed-child';
import { poll } from '@mqttlab/shared/kit/poll';
import * as z from 'zod';
import { readJsonFile, readText } from './files.ts';

interface ChildRecordsOptions {
  folder: string;
  procRoot: string;
  onFailure: (text: string) => void;
}

const pollMs = 5;
const signalTimeoutMs = 1_000;

/** Records on disk which processes this agent started, so that its successor can end leftover processes. */
export class ChildRecords implements PidRecords {
  readonly #options: ChildRecordsOptions;

  constructor(options: ChildRecordsOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** Ends leftover processes of a crashed predecessor; does not touch a process that only reuses the pid. */
  async open(): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    const names = await readdir(this.#options.folder);
    await Promise.all(names.map((name) => this.#endLeftOver(name)));
  }

  /**
   * Records a process. Throws if the record cannot be written, because the process would never be ended after
   * a crash.
   */
  add(pid: number): void {
    const identity = identifyProcess(this.#options.procRoot, pid);
    if (identity === null) return;
    // The data folder may have been emptied in the meantime.
    mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#path(pid), JSON.stringify(identity), { mode: 0o600 });
  }

  /**
   * Deletes a record. Never rejects: a leftover record is harmless, because it includes the start time of a
   * process that no longer exists.
   */
  async remove(pid: number): Promise<void> {
    await this.#removeRecord(this.#path(pid));
  }

  async #endLeftOver(name: string): Promise<void> {
    const path = join(this.#options.folder, name);
    const identity = await readJsonFile(path, processIdentitySchema);
    if (identity !== null && isAlive(this.#options.procRoot, identity)) {
      this.#options.onFailure(`Ended process ${identity.pid}, left over from a crashed agent`);
      await endProcess(this.#options.procRoot, identity);
    }
    await this.#removeRecord(path);
  }

  async #removeRecord(path: string): Promise<void> {
    await rm(path, { force: true }).catch((error: Error) =>
      this.#options.onFailure(`The record ${path} could not be removed: ${error.message}`),
    );
  }

  #path(pid: number): string {
    return join(this.#options.folder, `${pid}.json`);
  }
}

/** Sends SIGTERM, and SIGKILL one second later. */
async function endProcess(procRoot: string, identity: ProcessIdentity): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isAlive(procRoot, identity)) return;
    sendSignal(identity.pid, signal);
    const isGone = () => !isAlive(procRoot, identity);
    if (await poll(isGone, { everyMs: pollMs, timeoutMs: signalTimeoutMs })) return;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process exited between the check and the signal.
  }
}

/** A pid can be reused; together with these two fields, it identifies one process permanently. */
const processIdentitySchema = z.strictObject({
  pid: z.int().min(2),
  /** Field 22 of /proc/<pid>/stat: start time in clock ticks since boot. */
  startTicks: z.int().min(0),
  bootId: z.string(),
});
type ProcessIdentity = z.infer<typeof processIdentitySchema>;

/** Returns the identity of a running process, or null if there is no process with that pid. */
export function identifyProcess(procRoot: string, pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(join(procRoot, String(pid), 'stat'), 'utf8');
    // The name in parentheses may contain spaces and parentheses, so fields are counted from the last
    // parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startTicks = Number(fields[19]);
    if (fields[0] === 'Z' || !Number.isInteger(startTicks)) return null;
    return { pid, startTicks, bootId: readBootId(procRoot) };
  } catch {
    return null;
  }
}

/** Returns true if that exact process is still running. */
export function isAlive(procRoot: string, identity: ProcessIdentity): boolean {
  const now = identifyProcess(procRoot, identity.pid);
  return now !== null && now.startTicks === identity.startTicks && now.bootId === identity.bootId;
}

/** Returns an empty text if the kernel does not report it. */
export function readBootId(procRoot: string): string {
  return readText(join(procRoot, 'sys/kernel/random/boot_id')) ?? '';
}

/** Prevents two agents from using the same data folder, because each would end the other's children. */
export class DataFolderLock {
  readonly #path: string;
  readonly #procRoot: string;
  #taken = false;

  constructor(path: string, procRoot: string) {
    this.#path = path;
    this.#procRoot = procRoot;
  }

  /** Throws if the agent named in the file is still running. */
  async take(): Promise<void> {
    const owner = await readJsonFile(this.#path, processIdentitySchema);
    if (owner !== null && owner.pid !== process.pid && isAlive(this.#procRoot, owner)) {
      throw new Error(
        `Another agent (process ${owner.pid}) uses this data folder; start this one with another --data`,
      );
    }
    const identity = identifyProcess(this.#procRoot, process.pid);
    await writeFile(this.#path, JSON.stringify(identity), { mode: 0o600 });
    this.#taken = true;
  }

  async release(): Promise<void> {
    if (this.#taken) await rm(this.#path, { force: true });
    this.#taken = false;
  }
}
