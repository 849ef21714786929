export interface PollOptions {
  /** Time between two checks, in ms. If omitted, only `changes` cause further checks. */
  everyMs?: number;
  /** Each of these changes causes an immediate check. */
  changes?: Changes;
  /** Timeout in ms. If omitted, only `signal` ends the wait. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Repeats `check` until it returns true, then resolves with true. Resolves with false after `timeoutMs`, or as soon as `signal` aborts. The first check is immediate, and at least one follows the timeout. Rejects only if `check` does.
 *
 *     if (!(await poll(() => existsSync(path), { everyMs: 20, timeoutMs: 1_000 }))) throw ...
 *     await poll(() => online.size === 3, { changes, signal });
 */
export async function poll(
  check: () => boolean | Promise<boolean>,
  { everyMs = Number.POSITIVE_INFINITY, changes, timeoutMs = Number.POSITIVE_INFINITY, signal }: PollOptions,
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  let next = Promise.withResolvers<void>();
  const wake = (): void => next.resolve();
  const stopListening = changes?.listen(wake);
  signal?.addEventListener('abort', wake);
  try {
    while (signal?.aborted !== true) {
      const leftMs = deadlineMs - performance.now();
      // A change during the check causes another check.
      next = Promise.withResolvers();
      if (await check()) return true;
      if (leftMs <= 0) return false;
      const pauseMs = Math.min(everyMs, leftMs);
      // Without an interval and a timeout, or with values above the maximum of setTimeout, only changes cause
      // checks.
      const timer = pauseMs <= maxTimerMs ? setTimeout(wake, pauseMs) : undefined;
      await next.promise;
      clearTimeout(timer);
    }
    return false;
  } finally {
    stopListening?.();
    signal?.removeEventListener('abort', wake);
  }
}

const maxTimerMs = 2 ** 31 - 1;

/** Notifies callers of `poll` about changes to a state. */
export class Changes {
  readonly #listeners = new Set<() => void>();

  /** Calls all listeners; must be called after each change. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
