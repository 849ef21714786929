import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { roleResultSchema } from '@mqttlab/shared/domain/runs/role-result';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { ServerFrame } from '@mqttlab/shared/messages/agent';
import { filePartBytes } from '@mqttlab/shared/messages/result-files';
import {
  maxSetAside,
  resultKeySchema,
  type SetAside,
  setAsideNameSchema,
} from '@mqttlab/shared/messages/set-aside';
import * as z from 'zod';
import { type Cleanup, readJsonFile, writeDurableFile } from '../processes/files.ts';

const keptSchema = z.strictObject({ runId: z.int(), result: roleResultSchema });
export type StoredResult = z.infer<typeof keptSchema>;

const [ending, filesEnding] = ['.json', '.files'];

type FetchFile = Omit<Extract<ServerFrame, { type: 'fetch-file' }>, 'type' | 'id'>;

interface OutboxOptions {
  folder: string;
  setAside: SetAsideResults;
  cleanup: Cleanup;
  onFailure: (text: string) => void;
}

/** Stores every result on the device's disk until the server acknowledges it. */
export class Outbox {
  readonly #folder: string;
  readonly #onFailure: (text: string) => void;
  readonly #setAside: SetAsideResults;
  readonly #cleanup: Cleanup;
  readonly #keys = new Set<string>();
  /** Results that could not be written to disk and are only in memory. */
  readonly #unwritten = new Map<string, StoredResult>();

  constructor(options: OutboxOptions) {
    this.#folder = options.folder;
    this.#setAside = options.setAside;
    this.#cleanup = options.cleanup;
    this.#onFailure = options.onFailure;
  }

  /** Loads the results of an earlier agent; call this once before any other method. */
  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.#folder)).sort();
    for (const name of names) {
      if (name.endsWith('.draft')) await this.#cleanup.remove(join(this.#folder, name));
      const key = name.endsWith(ending) ? name.slice(0, -ending.length) : '';
      if (resultKeySchema.safeParse(key).success) this.#keys.add(key);
    }
    for (const name of names) {
      const key = name.endsWith(filesEnding) ? name.slice(0, -filesEnding.length) : null;
      if (key !== null && !this.#keys.has(key)) await this.#cleanup.remove(this.filesFolder(key));
    }
  }

  /** Returns the keys of results that are not yet acknowledged, oldest run first. */
  pending(): string[] {
    return [...this.#keys].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Returns the files that are sent to the server with a result and removed with it. */
  filesFolder(key: string): string {
    return join(this.#folder, `${key}${filesEnding}`);
  }

  /**
   * Returns a part of such a file, empty after the end of the file; null if there is no such file. Rejects
   * with the system's error if the file exists but cannot be read at the moment.
   */
  async readFilePart({ key, name, offset }: FetchFile): Promise<Buffer | null> {
    try {
      await using file = await open(join(this.filesFolder(key), name), 'r');
      const { buffer, bytesRead } = await file.read(Buffer.alloc(filePartBytes), 0, filePartBytes, offset);
      return buffer.subarray(0, bytesRead);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /**
   * Resolves when the result is on disk. Throws Failure 'result-not-kept' if it cannot be written; the result
   * is then only in memory.
   */
  async put(key: string, kept: StoredResult): Promise<void> {
    this.#keys.add(key);
    try {
      await writeDurableFile(this.#path(key), JSON.stringify(kept));
    } catch (error) {
      this.#unwritten.set(key, kept);
      throw new Failure({
        code: 'result-not-kept',
        message: `The result ${key} could not be written to ${this.#folder}: ${reasonOf(error)}`,
        remedy: 'Free disk space on the device and make its data folder writable, then repeat the run.',
      });
    }
  }

  /**
   * Returns the result, or null if its file is missing, corrupt or cannot be read now. A corrupt file is set
   * aside like a refused result; a file that cannot be read now stays pending. Never rejects.
   */
  async read(key: string): Promise<StoredResult | null> {
    const unwritten = this.#unwritten.get(key);
    if (unwritten !== undefined) return unwritten;
    const text = await this.#readText(key);
    if (text === null) return null;
    try {
      return keptSchema.parse(JSON.parse(text));
    } catch (error) {
      const why = error instanceof z.ZodError ? z.prettifyError(error).slice(0, 300) : reasonOf(error);
      await this.refuse(key, `its file on the device cannot be read: ${why}`);
      return null;
    }
  }

  async #readText(key: string): Promise<string | null> {
    try {
      return await readFile(this.#path(key), 'utf8');
    } catch (error) {
      if (isMissing(error)) this.#keys.delete(key);
      this.#onFailure(`The result ${key} cannot be read: ${reasonOf(error)}`);
      return null;
    }
  }

  /**
   * Sets aside a result that will never be stored, with the reason. The result is not sent again. Never
   * rejects.
   */
  async refuse(key: string, reason: string): Promise<void> {
    if (!this.#keys.delete(key)) return;
    const unwritten = this.#unwritten.get(key);
    const from = unwritten === undefined ? { path: this.#path(key) } : { text: JSON.stringify(unwritten) };
    const isSetAside = await this.#setAside.add(key, reason, from);
    if (isSetAside) this.#onFailure(`The result ${key} is set aside because it cannot be stored: ${reason}`);
    this.#unwritten.delete(key);
    // The server stores no part of this result, so its files are removed.
    await this.#cleanup.remove(this.filesFolder(key));
  }

  /** Deletes an acknowledged result. A result that cannot be removed is sent again after a restart. Never rejects. */
  async forget(key: string): Promise<void> {
    this.#keys.delete(key);
    this.#unwritten.delete(key);
    // Removes the result first: files without a result are removed at the next start, but a result without
    // files would be sent again.
    await this.#cleanup.remove(this.#path(key));
    await this.#cleanup.remove(this.filesFolder(key));
  }

  #path(key: string): string {
    return join(this.#folder, `${key}${ending}`);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

const reasonSchema = z.object({ reason: z.string(), refusedAt: z.number() });
const [setAsideEnding, reasonEnding] = ['.json', '.reason'];

interface SetAsideOptions {
  folder: string;
  nowMs: () => number;
  onFailure: (text: string) => void;
  /** Called when a result is added. */
  onAdded?: () => void;
}

/**
 * Results that will never be stored, with the reason. They stay on the device's disk and are not sent again
 * automatically.
 */
export class SetAsideResults {
  readonly #options: SetAsideOptions;
  readonly #entries = new Map<string, SetAside>();
  /** Results that could not be written to disk and are only in memory. */
  readonly #unwritten = new Map<string, string>();

  constructor(options: SetAsideOptions) {
    this.#options = options;
  }

  /** Loads the files of an earlier agent; call this once before any other method. */
  async open(): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const file of (await readdir(folder)).sort()) {
      const name = file.endsWith(setAsideEnding) ? file.slice(0, -setAsideEnding.length) : '';
      const key = resultKeySchema.safeParse(name.replace(/-\d+$/, ''));
      if (!setAsideNameSchema.safeParse(name).success || !key.success) continue;
      const [about, { size, mtimeMs }] = await Promise.all([
        readJsonFile(join(folder, `${name}${reasonEnding}`), reasonSchema),
        sizeOf(join(folder, file)),
      ]);
      const { reason, refusedAt } = about ?? { reason: 'the reason was not stored', refusedAt: mtimeMs };
      this.#entries.set(name, { name, key: key.data, reason, refusedAt, bytes: size });
    }
  }

  /** Returns the newest results, newest last, at most as many as the server accepts. */
  list(): SetAside[] {
    return [...this.#entries.values()].sort((a, b) => a.refusedAt - b.refusedAt).slice(-maxSetAside);
  }

  /**
   * Moves a file into the folder, or writes a text without a file. If the disk is full, at most the reason is
   * lost. Returns false if the file cannot be moved. Never rejects.
   */
  async add(key: string, reason: string, from: { path: string } | { text: string }): Promise<boolean> {
    const { folder, nowMs, onFailure, onAdded } = this.#options;
    const refusedAt = nowMs();
    const name = this.#freeName(key, Math.round(refusedAt));
    const path = join(folder, `${name}${setAsideEnding}`);
    try {
      if ('path' in from) await rename(from.path, path);
      else await writeFile(path, from.text, { mode: 0o600 });
    } catch (error) {
      if ('text' in from) this.#unwritten.set(name, from.text);
      onFailure(`The refused result ${key} could not be moved to ${folder}: ${reasonOf(error)}`);
      if ('path' in from) return false;
    }
    const bytes = 'text' in from ? Buffer.byteLength(from.text) : (await sizeOf(path)).size;
    this.#entries.set(name, { name, key, reason: reason.slice(0, 1000), refusedAt, bytes });
    try {
      const about = JSON.stringify({ reason, refusedAt });
      await writeFile(join(folder, `${name}${reasonEnding}`), about, { mode: 0o600 });
    } catch (error) {
      await rm(join(folder, `${name}${reasonEnding}`), { force: true }).catch(() => {});
      onFailure(`The reason for refusing the result ${key} could not be stored: ${reasonOf(error)}`);
    }
    onAdded?.();
    return true;
  }

  /** Returns null if the file does not exist. */
  async read(name: string): Promise<string | null> {
    if (!this.#entries.has(name)) return null;
    const unwritten = this.#unwritten.get(name);
    if (unwritten !== undefined) return unwritten;
    return readFile(join(this.#options.folder, `${name}${setAsideEnding}`), 'utf8').catch(() => null);
  }

  /** Returns an unused name, because the same run may have been refused earlier. */
  #freeName(key: string, at: number): string {
    return this.#entries.has(`${key}-${at}`) ? this.#freeName(key, at + 1) : `${key}-${at}`;
  }
}

/**
 * Returns the size and time of a file; zeros if the system does not report them, so that the file is still
 * listed.
 */
async function sizeOf(path: string): Promise<{ size: number; mtimeMs: number }> {
  return stat(path).catch(() => ({ size: 0, mtimeMs: 0 }));
}
