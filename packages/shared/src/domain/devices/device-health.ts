import * as z from 'zod';
import { networkInterfaceSchema } from './capabilities.ts';

/** Health of an idle device, as reported by its agent. */
export const deviceHealthSchema = z.strictObject({
  /** The device's wall clock, in Unix ms. */
  unixMs: z.number(),
  /** Free space on the disk that stores results; null if unknown. */
  diskFreeBytes: z.number().nullable(),
  /** CPU use of all cores since the previous report, in %; null in the first report. */
  cpuPercent: z.number().nullable(),
  /** Temperature of the processor, in °C; absent without a sensor. */
  temperatureC: z.number().optional(),
  /** Active kinds of throttling; also empty if the device does not report them. */
  throttling: z.array(z.string()).max(20),
  /** Current interfaces: cables and addresses can change while an agent stays connected. */
  interfaces: z.array(networkInterfaceSchema).max(64).optional(),
});
export type DeviceHealth = z.infer<typeof deviceHealthSchema>;

/** The latest health report from a connected device, for users. */
export const healthReadingSchema = z.strictObject({
  /** Time when the server received it, in Unix ms. */
  receivedAt: z.number(),
  cpuPercent: z.number().nullable(),
  temperatureC: z.number().nullable(),
  /** How far the device's clock is ahead of the server's, in ms. Includes the transfer time. */
  clockAheadMs: z.number(),
  diskFreeBytes: z.number().nullable(),
});
export type HealthReading = z.infer<typeof healthReadingSchema>;

/** Returns the reading from a report that arrived at `receivedAt`, in Unix ms. Pure. */
export function healthReadingOf(health: DeviceHealth, receivedAt: number): HealthReading {
  const { unixMs, cpuPercent, temperatureC = null, diskFreeBytes } = health;
  return { receivedAt, cpuPercent, temperatureC, clockAheadMs: unixMs - receivedAt, diskFreeBytes };
}

export const deviceStates = ['online', 'busy', 'degraded', 'offline'] as const;
export type DeviceState = (typeof deviceStates)[number];

/** Limits for a healthy device. */
const limits = { diskFreeBytes: 500e6, clockMs: 2_000, cpuPercent: 80 } as const;

/**
 * Returns the health problems of a device in words; `receivedAt` is in Unix ms on the server's clock. Pure.
 */
export function findHealthProblems(health: DeviceHealth, receivedAt: number): string[] {
  const { unixMs, diskFreeBytes, cpuPercent, throttling } = health;
  const aheadMs = unixMs - receivedAt;
  return [
    ...(throttling.length > 0 ? [`its CPU is throttled (${throttling.join(', ')})`] : []),
    ...(diskFreeBytes !== null && diskFreeBytes < limits.diskFreeBytes
      ? [`its disk is nearly full (${Math.floor(diskFreeBytes / 1e6)} MB free)`]
      : []),
    ...(Math.abs(aheadMs) > limits.clockMs ? [clockWords(aheadMs)] : []),
    ...(cpuPercent !== null && cpuPercent > limits.cpuPercent
      ? [`other programs use ${Math.round(cpuPercent)} % of its CPU capacity`]
      : []),
  ];
}

function clockWords(aheadMs: number): string {
  return `its clock is ${clockDifference(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the server's`;
}

/** Formats the absolute clock difference: "350 ms", "3 s", "5 min". */
export function clockDifference(aheadMs: number): string {
  const seconds = Math.abs(aheadMs) / 1000;
  if (seconds < 1) return `${Math.abs(aheadMs).toFixed(0)} ms`;
  return seconds < 120 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;
}
