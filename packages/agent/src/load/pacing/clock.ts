import type { AgentFrame, ServerFrame } from '@mqttlab/shared/messages/agent';

export interface Clock {
  /** Returns CLOCK_MONOTONIC in µs, which is the same in every process since boot. */
  nowUs(): number;
  /** Returns Unix time in ms. */
  unixMs(): number;
}

export const systemClock: Clock = { nowUs: hrtimeUs, unixMs: () => Date.now() };

type ClockQuestion = Extract<ServerFrame, { type: 'clock' }>;
type ClockAnswer = Extract<AgentFrame, { type: 'clock' }>;

/**
 * Returns the middle two of the four timestamps in RFC 5905 section 8; call this immediately before sending.
 */
export function answerClock(question: ClockQuestion, receivedUs: number, clock: Clock): ClockAnswer {
  return { type: 'clock', id: question.id, t0Us: question.t0Us, t1Us: receivedUs, t2Us: clock.nowUs() };
}

/**
 * Calls `run` at an instant on this device's clock (µs), or immediately if it has passed; returns a function
 * that cancels it.
 */
export function callAt(clock: Clock, dueUs: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.max(0, Math.ceil((dueUs - clock.nowUs()) / 1000)));
  return () => clearTimeout(timer);
}

export type MicrosecondClock = Pick<Clock, 'nowUs'>;

/**
 * Reads CLOCK_MONOTONIC in µs without allocating: `performance.now()` is a fast call, unlike
 * `process.hrtime()`.
 */
export class MonotonicClock implements MicrosecondClock {
  #originUs = 0;

  /**
   * Relates performance.now() to CLOCK_MONOTONIC; otherwise the clock would count from the start of the
   * process.
   */
  calibrate(): this {
    let best = Number.POSITIVE_INFINITY;
    // The shortest of a few measurements was not interrupted.
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

  /** Returns µs since boot, the same in every process on this device. */
  nowUs(): number {
    return performance.now() * 1000 + this.#originUs;
  }
}

/** Reads the clock with which `MonotonicClock` agrees; allocates. */
export function hrtimeUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}
