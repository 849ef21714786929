import { formatFixed, formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** A time span in ms as a person would say it: "4.1 ms", "5.0 s", "46 s", "23 min", "1 h 14 min", "2 d 3 h". */
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
