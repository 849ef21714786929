const shortestMs = 500;
const longestMs = 5000;

/** Doubles from 0.5 s to 5 s; half of it random (0 to 1), so that many pages do not come back at once. */
export function reconnectDelayMs(failures: number, random: number): number {
  const fullMs = Math.min(longestMs, shortestMs * 2 ** Math.min(failures, 10));
  return Math.max(shortestMs, fullMs * (0.5 + random / 2));
}
