import type { MonotonicClock } from './monotonic.ts';

/** What a pacer wakes. Times are local µs. */
export interface Paced {
  /** Does everything that is due; returns the next instant at which something is due, Infinity when all is over. */
  turn(nowUs: number): number;
  /** Whether messages wait for an acknowledgement or the socket, so that what arrives must be seen soon. */
  readonly waiting: boolean;
}

export interface Pacer {
  start(): void;
  /** Idempotent. */
  stop(): void;
  /** Something became due out of turn. */
  nudge(): void;
}

export interface PacerOptions {
  paced: Paced;
  clock: MonotonicClock;
}
