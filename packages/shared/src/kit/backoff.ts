export interface BackoffOptions {
  /** First wait, in ms. */
  firstMs: number;
  /** Maximum wait, in ms. */
  longestMs: number;
  /** Random share of each wait, from 0 (default) to 1, so that many clients do not retry at the same time. */
  jitter?: number;
  /** Random number from 0 to 1; for tests. */
  random?: () => number;
}

/**
 * Waits between retries. Each is twice as long as the one before, up to a limit.
 *
 *     const backoff = new Backoff({ firstMs: 200, longestMs: 10_000 });
 *     await sleep(backoff.next()); // 200 ms, then 400 ms, ...
 *     backoff.reset();             // after a success
 */
export class Backoff {
  readonly #options: BackoffOptions;
  #waitMs: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#waitMs = options.firstMs;
  }

  /** Returns the time until the next attempt, in ms. With jitter, it is shorter by up to that share. */
  next(): number {
    const { longestMs, jitter = 0, random = Math.random } = this.#options;
    const waitMs = Math.min(this.#waitMs, longestMs);
    this.#waitMs = Math.min(waitMs * 2, longestMs);
    return waitMs * (1 - jitter * random());
  }

  /** Resets the wait after a success, so that the next wait is the first one again. */
  reset(): void {
    this.#waitMs = this.#options.firstMs;
  }

  /** Makes the next wait the longest one, after an error that will persist for some time. */
  skipToLongest(): void {
    this.#waitMs = this.#options.longestMs;
  }
}
