import type { MicrosecondClock } from './monotonic.ts';

/** What a pacer wakes. Times are local µs. */
export interface Paced {
  /** Does everything that is due; returns the next instant at which something is due, Infinity when all is over. */
  turn(nowUs: number): number;
  /** Whether messages wait for an acknowledgement or the socket, so that what arrives must be seen soon. */
  readonly waiting: boolean;
}

export interface PacerOptions {
  paced: Paced;
  clock: MicrosecondClock;
}

export interface Pacer {
  /** Idempotent, as `stop`. */
  start(): void;
  stop(): void;
  /** Something may be due sooner than the last turn said. */
  nudge(): void;
}
