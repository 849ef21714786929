import * as z from 'zod';
import { networkInterfaceSchema } from './capabilities.ts';

/** Health of an idle device, as reported by its agent. */
export const deviceHealthSchema = z.strictObject({
  /** Wall clock of the device, Unix ms. */
  unixMs: z.number(),
  /** Free space on the disk that stores results; null if unknown. */
  diskFreeBytes: z.number().nullable(),
  /** CPU use of all cores since the previous report, in %; null in the first. */
  cpuPercent: z.number().nullable(),
  /** Active kinds of throttling; also empty if the device does not report them. */
  throttling: z.array(z.string()).max(20),
  /** Current interfaces: cables and addresses can change while an agent stays connected. */
  interfaces: z.array(networkInterfaceSchema).max(64).optional(),
});
export type DeviceHealth = z.infer<typeof deviceHealthSchema>;

export const deviceStates = ['online', 'busy', 'degraded', 'offline'] as const;
export type DeviceState = (typeof deviceStates)[number];

/** Limits of a healthy device. */
const limits = { diskFreeBytes: 500e6, clockMs: 2_000, cpuPercent: 80 } as const;

/** Returns the health problems of a device in words; `receivedAt`: Unix ms on the server's clock. Pure. */
export function findHealthTroubles(health: DeviceHealth, receivedAt: number): string[] {
  const { unixMs, diskFreeBytes, cpuPercent, throttling } = health;
  const aheadMs = unixMs - receivedAt;
  return [
    ...(throttling.length > 0 ? [`its CPU is throttled (${throttling.join(', ')})`] : []),
    ...(diskFreeBytes !== null && diskFreeBytes < limits.diskFreeBytes
      ? [`its disk is nearly full (${Math.floor(diskFreeBytes / 1e6)} MB free)`]
      : []),
    ...(Math.abs(aheadMs) > limits.clockMs ? [clockWords(aheadMs)] : []),
    ...(cpuPercent !== null && cpuPercent > limits.cpuPercent
      ? [`other programs use ${Math.round(cpuPercent)} % of its cores`]
      : []),
  ];
}

function clockWords(aheadMs: number): string {
  const seconds = Math.abs(aheadMs) / 1000;
  const size = seconds < 120 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;
  return `its clock is ${size} ${aheadMs > 0 ? 'ahead of' : 'behind'} the server's`;
}
