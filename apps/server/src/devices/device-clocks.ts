import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClockOffset, RunClock } from '@mqttlab/shared/domain/runs/role-result';
import { type ClockSample, clockOffsetOf } from '@mqttlab/shared/statistics/estimates/clock-offset';
import type { AgentLink } from './agent-link.ts';

const probes = 12;
/** Pause between exchanges in ms, so that a single network delay does not affect all of them. */
const probeGapMs = 3;

/** Returns the testbed clock: CLOCK_MONOTONIC in µs. */
export function monotonicUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}

/**
 * Returns the id of this boot of the kernel; devices with the same id share the monotonic clock. Empty if
 * unknown.
 */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/**
 * Resolves with the offset and uncertainty of a device relative to the testbed clock. A device with the same
 * boot id needs no exchange. Rejects with Failure if the device does not respond.
 */
export async function measureClockOffset(link: AgentLink, bootId: string): Promise<ClockOffset> {
  if (bootId !== '' && link.capabilities.bootId === bootId) return { offsetUs: 0, uncertaintyUs: 0 };
  const samples: ClockSample[] = [];
  for (let i = 0; i < probes; i += 1) {
    if (i > 0) await wait(probeGapMs);
    samples.push(await link.exchangeClock());
  }
  return clockOffsetOf(samples);
}

/**
 * Combines the clock of a device that another device compared with the clock of that other device: offsets
 * and bounds are added. Pure.
 */
export function joinClocks(own: RunClock | null, other: RunClock | null): RunClock | null {
  if (own === null || other === null) return other;
  const add = (a: ClockOffset, b: ClockOffset): ClockOffset => ({
    offsetUs: a.offsetUs + b.offsetUs,
    uncertaintyUs: a.uncertaintyUs + b.uncertaintyUs,
  });
  return {
    before: add(own.before, other.before),
    after: own.after && other.after && add(own.after, other.after),
  };
}

/** By device. */
export type DeviceClocks = ReadonlyMap<string, RunClock>;
type DeviceOffsets = ReadonlyMap<string, ClockOffset>;

interface RunClocksOptions {
  /** Connections to all participating devices. */
  links: readonly AgentLink[];
  /** Boot id of the server's own kernel. */
  bootId: string;
  /** Called after each exchange with the results so far. */
  onCompared?: ((clocks: DeviceClocks) => void) | undefined;
}

/** Compares the clocks of one run's devices with the server's clock, before and after the load. */
export class RunClocks {
  readonly #options: RunClocksOptions;
  #before: DeviceOffsets | null = null;

  constructor(options: RunClocksOptions) {
    this.#options = options;
  }

  /** Resolves with the offsets that the run uses. Rejects with Failure. */
  async compareBefore(): Promise<DeviceOffsets> {
    const before = await this.#compare();
    this.#before = before;
    this.#report(before, null);
    return before;
  }

  /** Compares the clocks again to measure their drift. Rejects with Failure. */
  async compareAfter(): Promise<void> {
    const before = this.#before;
    if (before === null) throw new Error('the clocks have not been compared before the load');
    this.#report(before, await this.#compare());
  }

  #report(before: DeviceOffsets, after: DeviceOffsets | null): void {
    const clocks = [...before].map(
      ([deviceId, offset]) => [deviceId, { before: offset, after: after?.get(deviceId) ?? null }] as const,
    );
    this.#options.onCompared?.(new Map(clocks));
  }

  /**
   * Compares the clocks. Devices that share a kernel have one clock and get the same offset, so there is no
   * error between them.
   */
  async #compare(): Promise<DeviceOffsets> {
    const { links, bootId } = this.#options;
    const byKernel = new Map<string, Promise<ClockOffset>>();
    const offsets = links.map(async (link) => {
      const kernel = kernelOf(link);
      const known = byKernel.get(kernel) ?? measureClockOffset(link, bootId);
      byKernel.set(kernel, known);
      return [link.deviceId, await known] as const;
    });
    return new Map(await Promise.all(offsets));
  }
}

function kernelOf({ capabilities, deviceId }: AgentLink): string {
  return capabilities.bootId || deviceId;
}

/**
 * Returns true if publishers must also measure the round trip, because the clocks of two kernels always
 * differ.
 */
export function needsMirror(
  publishers: readonly Pick<AgentLink, 'deviceId' | 'capabilities'>[],
  subscribers: typeof publishers,
): boolean {
  const bootIds = [...publishers, ...subscribers].map(({ capabilities }) => capabilities.bootId);
  return new Set(bootIds).size > 1;
}
