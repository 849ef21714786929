import type { RunFailure } from '../run-failure.ts';

/** The promise, unless it takes longer than `timeoutMs`: then it rejects with `failure()`. */
export async function within<T>(
  timeoutMs: number,
  failure: () => RunFailure,
  promise: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(failure()), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
