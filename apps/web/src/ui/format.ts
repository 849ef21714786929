import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { formatFixed, formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { useEffect, useState } from 'react';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** Formats a duration in ms: "4.1 ms", "5.0 s", "46 s", "23 min", "1 h 14 min", "2 d 3 h". */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return NO_VALUE;
  if (ms < 0) return `\u2212${formatDuration(-ms)}`;
  if (ms === 0) return '0 s';
  if (ms < 1) return `${formatNumber(ms * 1000, 2)} \u00b5s`;
  if (ms < 999.5) return `${ms < 99.95 ? formatFixed(ms, 1) : formatFixed(ms, 0)} ms`;
  if (ms < 9950) return `${formatFixed(ms / 1000, 1)} s`;
  if (ms < 119_500) return `${formatFixed(ms / 1000, 0)} s`;
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  if (ms < DAY) {
    const rest = String(minutes % 60).padStart(2, '0');
    return `${Math.floor(minutes / 60)} h ${rest} min`;
  }
  const hours = Math.round(ms / HOUR);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Joins names: "pi-1, pi-2 and pi-3". */
export function listNames(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

// Formatters are created once, because creating one costs a hundred times as much as using it.
const timeOfDay = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** Formats ms since 1970 as "14:31", in the reader's time zone. */
export function formatTimeOfDay(ms: number): string {
  return timeOfDay.format(ms);
}

/** Formats ms since 1970 as "14:31:58". */
export function formatClock(ms: number): string {
  return clock.format(ms);
}

/** Formats a date as "20 Nov", with the year if it differs from the year of `nowMs`. */
export function formatDay(ms: number, nowMs: number = Date.now()): string {
  const sameYear = new Date(ms).getFullYear() === new Date(nowMs).getFullYear();
  return (sameYear ? day : dayOfYear).format(ms);
}

/** Formats a time as "20 Nov 11:48:12". */
export function formatDateTime(ms: number, nowMs: number = Date.now()): string {
  return `${formatDay(ms, nowMs)} ${formatClock(ms)}`;
}

/** Formats an age: "now", "41 min", "2 h", "yesterday", "18 Nov". */
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

/** Returns the time in Unix ms, updated every `everyMs`, so that "2 min ago" stays correct. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** Returns "E-12", the short name of an experiment in lists, breadcrumbs and toasts. */
export function experimentCode(id: number): string {
  return `E-${id}`;
}

/** Returns the name of an experiment; "Untitled experiment" for a draft without a name. */
export function experimentTitle(name: string): string {
  return name.trim() === '' ? 'Untitled experiment' : name;
}

/** Returns the path of an experiment. A draft opens in the wizard. */
export function experimentPath({ id, status }: Pick<ExperimentSummary, 'id' | 'status'>): string {
  return status === 'draft' ? `/experiments/${id}/edit` : `/experiments/${id}`;
}
