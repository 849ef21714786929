interface BackgroundWorkOptions {
  /** Called for each failure; the work is tried again after `retryAfterMs`. */
  onError: (error: unknown) => void;
  /** 15 s by default. */
  retryAfterMs?: number | undefined;
}

/**
 * Work beside everything else, begun at once and whenever it is woken, never twice at a time. It yields between pieces
 * and ends early once `isStopped`. What fails, as on a full disk, is tried again later.
 */
export function startBackgroundWork(
  work: (isStopped: () => boolean) => Promise<void>,
  { onError, retryAfterMs = 15_000 }: BackgroundWorkOptions,
) {
  let stopped = false;
  let running: Promise<void> | null = null;
  let retry: NodeJS.Timeout | null = null;
  const wake = (): void => {
    if (stopped || running) return;
    if (retry !== null) clearTimeout(retry);
    running = work(() => stopped)
      .catch((error: unknown) => {
        onError(error);
        retry = setTimeout(wake, retryAfterMs).unref();
      })
      .finally(() => {
        running = null;
      });
  };
  wake();
  return {
    /** Looks whether there is more to do. */
    wake,
    /** Resolves once nothing more is due, it failed, or it was stopped. */
    idle: async (): Promise<void> => void (await running),
    async stop(): Promise<void> {
      stopped = true;
      if (retry !== null) clearTimeout(retry);
      await running;
    },
  };
}
