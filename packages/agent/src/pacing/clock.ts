import type { AgentFrame, ServerFrame } from '@mqttlab/shared/messages/agent';

export interface Clock {
  /** CLOCK_MONOTONIC in µs: every process of one boot reads the same clock. */
  nowUs(): number;
  /** Unix time, ms. */
  unixMs(): number;
}

export const systemClock: Clock = {
  nowUs() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e6 + nanoseconds / 1e3;
  },
  unixMs: () => Date.now(),
};

type ClockQuestion = Extract<ServerFrame, { type: 'clock' }>;
type ClockAnswer = Extract<AgentFrame, { type: 'clock' }>;

/** The middle two of the four timestamps of RFC 5905 section 8; call it as the last thing before sending. */
export function answerClock(question: ClockQuestion, receivedUs: number, clock: Clock): ClockAnswer {
  return { type: 'clock', id: question.id, t0Us: question.t0Us, t1Us: receivedUs, t2Us: clock.nowUs() };
}

/** Calls `run` at an instant of this device's clock (µs), at once when it is past; returns what cancels it. */
export function callAt(clock: Clock, dueUs: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.max(0, Math.ceil((dueUs - clock.nowUs()) / 1000)));
  return () => clearTimeout(timer);
}
