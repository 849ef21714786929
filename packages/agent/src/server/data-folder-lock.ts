import { rm, writeFile } from 'node:fs/promises';
import { readJsonFile } from '../base/durable-file.ts';
import { identifyProcess, isAlive, processIdentitySchema } from '../children/child-records.ts';

/** Keeps two agents from using one data folder: each would end the other's children. */
export class DataFolderLock {
  readonly #path: string;
  readonly #procRoot: string;
  #taken = false;

  constructor(path: string, procRoot: string) {
    this.#path = path;
    this.#procRoot = procRoot;
  }

  /** Throws when the agent named in the file still lives. */
  async take(): Promise<void> {
    const owner = await readJsonFile(this.#path, processIdentitySchema);
    if (owner !== null && owner.pid !== process.pid && isAlive(this.#procRoot, owner)) {
      throw new Error(
        `Another agent (process ${owner.pid}) uses this data folder; give this one --data of its own`,
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
