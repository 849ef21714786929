/**
 * Work beside everything else, begun at once and whenever it is woken, never twice at a time. It yields between pieces
 * and ends early once `isStopped`.
 */
export function startBackgroundWork(
  work: (isStopped: () => boolean) => Promise<void>,
  onError: (error: unknown) => void,
) {
  let stopped = false;
  let running: Promise<void> | null = null;
  const wake = (): void => {
    if (stopped) return;
    running ??= work(() => stopped)
      .catch(onError)
      .finally(() => {
        running = null;
      });
  };
  wake();
  return {
    /** Looks whether there is more to do. */
    wake,
    /** Resolves once nothing more is due, or it was stopped. */
    idle: async (): Promise<void> => void (await running),
    async stop(): Promise<void> {
      stopped = true;
      await running;
    },
  };
}
