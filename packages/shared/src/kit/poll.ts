export interface PollOptions {
  /** Time between two checks, ms. */
  everyMs: number;
  /** Without it only `signal` ends the wait. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Repeats `check` until it returns true. Resolves with true then, and with false after `timeoutMs` or as soon as
 * `signal` is aborted. The first check is immediate, and at least one follows the end of the time. Rejects only if
 * `check` does.
 *
 *     if (!(await poll(() => existsSync(path), { everyMs: 20, timeoutMs: 1_000 }))) throw ...
 */
export async function poll(
  check: () => boolean | Promise<boolean>,
  { everyMs, timeoutMs = Number.POSITIVE_INFINITY, signal }: PollOptions,
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (signal?.aborted !== true) {
    const isLast = performance.now() >= deadlineMs;
    if (await check()) return true;
    if (isLast) return false;
    await pause(everyMs, signal);
  }
  return false;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
