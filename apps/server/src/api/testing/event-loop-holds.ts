import { cpuMs } from '../../testing/cpu-time.ts';

/** How often the event loop is looked at. */
const everyMs = 1;

export interface HoldWatch {
  /** CPU time of the longest stretch since the last call in which nothing else could happen, ms. */
  longestMs(): number;
  stop(): void;
}

/**
 * Watches how long the event loop is held. It counts CPU time of this thread, so that a machine on which others work
 * as well says the same.
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
