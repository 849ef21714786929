import { vi } from 'vitest';
import type { Clock } from '../load/pacing/clock.ts';

/** A clock that follows vitest's fake timers. */
export function makeManualClock(): Clock & { advanceMs(ms: number): void; jumpMs(ms: number): void } {
  const startMs = Date.now();
  return {
    nowUs: () => (Date.now() - startMs) * 1_000,
    unixMs: () => Date.now(),
    advanceMs: (ms) => vi.advanceTimersByTime(ms),
    /** Advances time without running timers, as when the process is suspended. */
    jumpMs: (ms) => vi.setSystemTime(Date.now() + ms),
  };
}
