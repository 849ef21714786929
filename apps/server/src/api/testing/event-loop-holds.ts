import { cpuMs } from '../../testing/cpu-time.ts';

/** Sampling interval of the event loop. */
const everyMs = 1;

export interface HoldWatch {
  /** CPU time of the longest uninterrupted work since the last call, in ms. */
  longestMs(): number;
  stop(): void;
}

/**
 * Measures how long the event loop is blocked, in CPU time of this thread, so that other load on the machine does not
 * affect the result.
 */
export function watchHolds(): HoldWatch {
  let last = cpuMs();
  let longest = 0;
  const look = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, everyMs);
  return {
    longestMs() {
      look();
      const found = longest;
      longest = 0;
      return found;
    },
    stop: () => clearInterval(timer),
  };
}
