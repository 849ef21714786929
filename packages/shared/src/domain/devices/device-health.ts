import * as z from 'zod';
import { networkInterfaceSchema } from './capabilities.ts';

/** How a device is while it carries out nothing, as its agent sees it. */
export const deviceHealthSchema = z.strictObject({
  /** Its time of day, Unix ms. */
  unixMs: z.number(),
  /** Where results wait; null when the system does not tell. */
  diskFreeBytes: z.number().nullable(),
  /** Busy share of all cores since the last look, %; null at the first. */
  cpuPercent: z.number().nullable(),
  /** Ways in which it slows itself down now; empty also where nothing tells. */
  throttling: z.array(z.string()).max(20),
  /** As they are now: cables are pulled and addresses change while an agent stays connected. */
  interfaces: z.array(networkInterfaceSchema).max(64).optional(),
});
export type DeviceHealth = z.infer<typeof deviceHealthSchema>;

export const deviceStates = ['online', 'busy', 'degraded', 'offline'] as const;
export type DeviceState = (typeof deviceStates)[number];

/** What is still in order. */
const limits = { diskFreeBytes: 500e6, clockMs: 2_000, cpuPercent: 80 } as const;

/** Why a device is not as it should be, in words; `receivedAt`: Unix ms of the server's own clock. Pure. */
export function findHealthTroubles(health: DeviceHealth, receivedAt: number): string[] {
  const { unixMs, diskFreeBytes, cpuPercent, throttling } = health;
  const aheadMs = unixMs - receivedAt;
  return [
    ...(throttling.length > 0 ? [`it slows itself down (${throttling.join(', ')})`] : []),
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
