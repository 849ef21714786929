const DAY = 86_400_000;

// Made once: making a formatter costs a hundred times what using one does.
const timeOfDay = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** "14:31", in the reader's time zone. Input: ms since 1970. */
export function formatTimeOfDay(ms: number): string {
  return timeOfDay.format(ms);
}

/** "14:31:58" */
export function formatClock(ms: number): string {
  return clock.format(ms);
}

/** "20 Nov", with the year when it is not the year of `nowMs`. */
export function formatDay(ms: number, nowMs: number = Date.now()): string {
  const sameYear = new Date(ms).getFullYear() === new Date(nowMs).getFullYear();
  return (sameYear ? day : dayOfYear).format(ms);
}

/** "20 Nov 11:48:12" */
export function formatDateTime(ms: number, nowMs: number = Date.now()): string {
  return `${formatDay(ms, nowMs)} ${formatClock(ms)}`;
}

/** How long ago, short enough for a column: "now", "41 min", "2 h", "yesterday", "18 Nov". */
export function formatAgo(ms: number, nowMs: number): string {
  const age = nowMs - ms;
  if (age < 60_000) return 'now';
  if (age < 3_600_000) return `${Math.floor(age / 60_000)} min`;
  const daysApart = startOfDay(nowMs) - startOfDay(ms);
  if (daysApart === 0) return `${Math.floor(age / 3_600_000)} h`;
  if (Math.round(daysApart / DAY) === 1) return 'yesterday';
  return formatDay(ms, nowMs);
}

function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}
