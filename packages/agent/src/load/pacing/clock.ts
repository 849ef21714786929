import type { AgentFrame, ServerFrame } from '@mqttlab/shared/messages/agent';

export interface Clock {
  /** CLOCK_MONOTONIC in µs: every process of one boot reads the same clock. */
  nowUs(): number;
  /** Unix time, ms. */
  unixMs(): number;
}

export const systemClock: Clock = { nowUs: hrtimeUs, unixMs: () => Date.now() };

type ClockQuestion = Extract<ServerFrame, { type: 'clock' }>;
type ClockAnswer = Extract<AgentFrame, { type: 'clock' }>;

/** The middle two of the four timestamps of RFC 5905 section 8; call it as the last thing before sending. */
export function answerClock(question: ClockQuestion, receivedUs: number, clock: Clock): ClockAnswer {
  return { type: 'clock', id: question.id, t0Us: question.t0Us, t1Us: receivedUs, t2Us: clock.nowUs() };
}

/**
 * Calls `run` at an instant of this device's clock (µs), immediately if it is past; returns a function that cancels it.
 */
export function callAt(clock: Clock, dueUs: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.max(0, Math.ceil((dueUs - clock.nowUs()) / 1000)));
  return () => clearTimeout(timer);
}

export type MicrosecondClock = Pick<Clock, 'nowUs'>;

/** Reads CLOCK_MONOTONIC in µs without allocating: `performance.now()` is a fast call, `process.hrtime()` is not. */
export class MonotonicClock implements MicrosecondClock {
  #originUs = 0;

  /** Ties performance.now() to CLOCK_MONOTONIC; without it the clock counts from the start of the process. */
  calibrate(): this {
    let best = Number.POSITIVE_INFINITY;
    // The tightest of a few brackets was not interrupted.
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

/** The clock that `MonotonicClock` agrees with; allocates. */
export function hrtimeUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}
