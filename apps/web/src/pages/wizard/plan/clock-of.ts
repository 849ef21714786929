import { formatDay, formatTimeOfDay } from '../../../ui/format/time.ts';

const dayMs = 86_400_000;

/** "today 19:01", "tomorrow 07:30", "24 Nov 11:00". */
export function clockOf(atMs: number, nowMs: number): string {
  const days = Math.round((startOfDay(atMs) - startOfDay(nowMs)) / dayMs);
  const day = days === 0 ? 'today' : days === 1 ? 'tomorrow' : formatDay(atMs, nowMs);
  return `${day} ${formatTimeOfDay(atMs)}`;
}

/** Nothing starts in the past: a start that was foretold moves on with the clock. */
export function laterOf(startsAtMs: number, nowMs: number): number {
  return Math.max(startsAtMs, nowMs);
}

function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}
