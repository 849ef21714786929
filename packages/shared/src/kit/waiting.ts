/**
 * Returns the outcome of the promise, or rejects with `failure()` if the promise takes longer than
 * `timeoutMs`.
 */
export async function within<T>(timeoutMs: number, failure: () => Error, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(failure()), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** True if the promise is settled within `timeoutMs`. Never rejects. */
export async function waitAtMost(timeoutMs: number, promise: Promise<unknown>): Promise<boolean> {
  const late = new Error('late');
  const settled = promise.catch(() => {});
  return await within(timeoutMs, () => late, settled).then(
    () => true,
    () => false,
  );
}
