import { rm } from 'node:fs/promises';
import { reasonOf } from '@mqttlab/shared/kit/failure';

/** Waits before each further attempt, ms. After the last one the path stays until the agent starts again. */
const usualWaitsMs: readonly number[] = [1_000, 10_000, 60_000, 600_000];

interface CleanupOptions {
  onTrouble: (text: string) => void;
  waitsMs?: readonly number[];
}

/**
 * Removes files and folders that are no longer needed. A path that cannot be removed, such as a mount point or a path
 * on a read-only disk, is reported and tried again a limited number of times: cleanup never decides over a result.
 */
export class Cleanup {
  readonly #options: CleanupOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(options: CleanupOptions) {
    this.#options = options;
  }

  /** Removes a file or a folder with its contents; a missing path is fine. Returns after one attempt, never rejects. */
  async remove(path: string): Promise<void> {
    this.keep(path);
    await this.#attempt(path, this.#options.waitsMs ?? usualWaitsMs);
  }

  /** Cancels further attempts at this path, because it is in use again. */
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
      const next = waitMs === undefined ? 'the next start of the agent tries again' : 'it is tried again';
      const { onTrouble } = this.#options;
      if (isFirst || waitMs === undefined)
        onTrouble(`${path} cannot be removed (${next}): ${reasonOf(error)}`);
      if (waitMs === undefined) return;
      const timer = setTimeout(() => {
        this.#timers.delete(path);
        void this.#attempt(path, later, false);
      }, waitMs);
      this.#timers.set(path, timer.unref());
    }
  }
}
