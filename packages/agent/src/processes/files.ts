import { readdirSync, readFileSync } from 'node:fs';
import { open, readFile, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type * as z from 'zod';

/** Returns the text of a file in /proc or /sys without surrounding white space; null if it cannot be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Returns the names in a folder, with 2 before 10; empty if it cannot be read. */
export function listFolder(path: string): string[] {
  try {
    return readdirSync(path).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  } catch {
    return [];
  }
}

/**
 * Returns the number of bytes that this user can still write there; null if the system does not report it.
 */
export async function readDiskFree(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/**
 * Writes a file so that after a power cut either the complete file or nothing is on disk. Throws the system's
 * error (ENOSPC, EACCES ...) and leaves no partial file.
 */
export async function writeDurableFile(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  try {
    await writeAndSync(draft, text);
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    // The caller needs the cause; the next start removes a leftover partial file.
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

async function writeAndSync(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Syncs a folder to disk: a rename is durable only after that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Returns the content of a file; null if it is missing, incomplete or does not match the schema. */
export async function readJsonFile<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Waits before each further attempt, in ms. After the last attempt, the path stays until the agent starts
 * again.
 */
const usualWaitsMs: readonly number[] = [1_000, 10_000, 60_000, 600_000];

interface CleanupOptions {
  onFailure: (text: string) => void;
  waitsMs?: readonly number[];
}

/**
 * Removes files and folders that are no longer needed. A path that cannot be removed, such as a mount point or a path
 * on a read-only disk, is reported and retried a limited number of times. A failed cleanup never affects a result.
 */
export class Cleanup {
  readonly #options: CleanupOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(options: CleanupOptions) {
    this.#options = options;
  }

  /**
   * Removes a file, or a folder with its contents; a missing path is not an error. Returns after one attempt,
   * never rejects.
   */
  async remove(path: string): Promise<void> {
    this.keep(path);
    await this.#attempt(path, this.#options.waitsMs ?? usualWaitsMs);
  }

  /** Cancels further attempts to remove this path, because it is in use again. */
  keep(path: string): void {
    clearTimeout(this.#timers.get(path));
    this.#timers.delete(path);
  }

  /** Cancels all further attempts. Idempotent. */
  stop(): void {
    for (const path of [...this.#timers.keys()]) this.keep(path);
  }

  async #attempt(path: string, waitsMs: readonly number[], isFirst = true): Promise<void> {
    try {
      await rm(path, { recursive: true, force: true });
    } catch (error) {
      const [waitMs, ...later] = waitsMs;
      const next = waitMs === undefined ? 'retried when the agent starts again' : 'retried later';
      const { onFailure } = this.#options;
      if (isFirst || waitMs === undefined)
        onFailure(`${path} cannot be removed (${next}): ${reasonOf(error)}`);
      if (waitMs === undefined) return;
      const timer = setTimeout(() => {
        this.#timers.delete(path);
        void this.#attempt(path, later, false);
      }, waitMs);
      this.#timers.set(path, timer.unref());
    }
  }
}
