import type { Progress } from '@mqttlab/shared/messages/agent';
import type { CurrentRun } from '@mqttlab/shared/messages/live';

/**
 * The Run under way with one line for each role: where several devices play it, their counts and rates are added and
 * the rest is their mean, second by second as soon as all of them have told. Pure.
 */
export function joinDevices(current: CurrentRun): CurrentRun {
  const byRole = Map.groupBy(current.progress, ({ role }) => role);
  if ([...byRole.values()].every((frames) => devicesIn(frames) === 1)) return current;
  const progress = [...byRole.values()].flatMap(joinFrames).sort((a, b) => a.atMs - b.atMs);
  return { ...current, progress };
}

function devicesIn(frames: readonly Progress[]): number {
  return new Set(frames.map(({ deviceId }) => deviceId)).size;
}

function joinFrames(frames: readonly Progress[]): readonly Progress[] {
  const devices = devicesIn(frames);
  if (devices === 1) return frames;
  const seconds = Map.groupBy(frames, ({ atMs }) => Math.round(atMs / 1000));
  return [...seconds.values()].flatMap((own) => (devicesIn(own) === devices ? joinSecond(own) : []));
}

function joinSecond(frames: readonly Progress[]): Progress[] {
  const [first] = frames;
  if (first === undefined) return [];
  const latencies = frames.flatMap(({ latencyMs }) => latencyMs ?? []);
  return [
    {
      role: first.role,
      atMs: first.atMs,
      messages: sum(frames, ({ messages }) => messages) ?? 0,
      messagesPerSecond: sum(frames, ({ messagesPerSecond }) => messagesPerSecond) ?? 0,
      late: sum(frames, ({ late }) => late) ?? 0,
      // Quantiles of all devices together lie within those of each; the middle one is their mean.
      latencyMs:
        latencies.length === 0
          ? null
          : {
              p5: Math.min(...latencies.map(({ p5 }) => p5)),
              p50: latencies.reduce((total, { p50 }) => total + p50, 0) / latencies.length,
              p95: Math.max(...latencies.map(({ p95 }) => p95)),
            },
      cpuPercent: mean(frames, ({ cpuPercent }) => cpuPercent),
      deviceCpuPercent: mean(frames, ({ deviceCpuPercent }) => deviceCpuPercent),
      residentBytes: mean(frames, ({ residentBytes }) => residentBytes),
      wireBytesPerSecond: sum(frames, ({ wireBytesPerSecond }) => wireBytesPerSecond),
    },
  ];
}

type Reading = (frame: Progress) => number | null;

/** null as soon as one of them does not tell. */
function sum(frames: readonly Progress[], pick: Reading): number | null {
  return frames.reduce<number | null>((total, frame) => {
    const value = pick(frame);
    return total === null || value === null ? null : total + value;
  }, 0);
}

function mean(frames: readonly Progress[], pick: Reading): number | null {
  const total = sum(frames, pick);
  return total === null ? null : total / frames.length;
}
