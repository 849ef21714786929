import { setTimeout as wait } from 'node:timers/promises';
import { StorageError } from '../store/storage-error.ts';

interface UntilStoredOptions {
  /** Aborted: somebody stops the server or cancels the Run, and a few tries more are all there are. */
  signal: AbortSignal;
  /** So long at most, ms. */
  timeoutMs: number;
  /** Called at the first failure and then each minute, with how long it has been going on, ms. */
  onWaiting: (error: StorageError, sinceMs: number) => void;
  everyMs?: number;
}

const tellEveryMs = 60_000;
const triesWhenStopped = 4;

/**
 * On a full disk nothing can go on: waits for room. Rejects with the StorageError once the time is over or the signal
 * aborted, and at once with any other error: waiting does not help there.
 */
export async function untilStored<T>(store: () => T, options: UntilStoredOptions): Promise<T> {
  const { signal, timeoutMs, onWaiting, everyMs = 500 } = options;
  const startedAt = performance.now();
  let toldAt: number | null = null;
  for (let stopped = 0; ; stopped += signal.aborted ? 1 : 0) {
    try {
      return store();
    } catch (error) {
      const sinceMs = performance.now() - startedAt;
      const isOver = sinceMs >= timeoutMs || stopped >= triesWhenStopped;
      if (!(error instanceof StorageError) || isOver) throw error;
      if (toldAt === null || sinceMs - toldAt >= tellEveryMs) {
        toldAt = sinceMs;
        onWaiting(error, sinceMs);
      }
      await wait(everyMs);
    }
  }
}
