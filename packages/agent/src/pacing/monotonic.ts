export interface MicrosecondClock {
  nowUs(): number;
}

/** Reads CLOCK_MONOTONIC in µs without allocating: `performance.now()` is a fast call, `process.hrtime()` is not. */
export class MonotonicClock implements MicrosecondClock {
  #originUs = 0;

  /** Ties performance.now() to CLOCK_MONOTONIC; without it the clock counts from the start of the process. */
  calibrate(): this {
    let best = Number.POSITIVE_INFINITY;
    // The tightest of a few brackets is the one that nothing interrupted.
    for (let attempt = 0; attempt < 32; attempt += 1) {
      const beforeMs = performance.now();
      const monotonicUs = hrtimeUs();
      const afterMs = performance.now();
      if (afterMs - beforeMs >= best) continue;
      best = afterMs - beforeMs;
      this.#originUs = monotonicUs - ((beforeMs + afterMs) / 2) * 1000;
    }
    return this;
  }

  /** µs since boot, the same in every process of this device. */
  nowUs(): number {
    return performance.now() * 1000 + this.#originUs;
  }
}

/** The reference that `MonotonicClock` agrees with; allocates. */
export function hrtimeUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}
